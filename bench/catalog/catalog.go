// Package catalog says of the data sets of the papers where to get them and which bytes
// the results were made from.
package catalog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/rffgo/rff/cmd/rff/sets"
)

// Entry is what is known of a data set of the papers.
type Entry struct {
	Name     string // of sets.Named, or a name for one that is not there
	Title    string
	Task     string
	Papers   []string // that use it
	Source   string   // where to get it
	Licence  string
	Citation string
	Differs  string // from the copy of the papers; "" for nothing known
	Files    []File // below the data folder; none for a set that is built in or not there
	// Readable says that sets.Named reads the set. The others are named by the papers only.
	Readable bool
}

// File is a file of a data set.
type File struct {
	Path          string // below the data folder, with slashes
	Rows, Columns int    // rows, and inputs beside the label
	SHA256        string
}

const (
	liu     = "Liu et al. 2020"
	shah    = "Shahrampour et al. 2018"
	chen    = "Chen et al. 2015"
	rahimi  = "Rahimi and Recht 2007"
	uci     = "UCI Machine Learning Repository"
	ccBy    = "CC BY 4.0 (UCI)"
	unknown = "not stated"
)

// Sets returns every data set of the papers, those that sets.Named reads first.
func Sets() []Entry { return slices.Clone(catalog) }

var catalog = []Entry{
	{Name: "adult", Title: "Adult (a9a)", Task: "2 classes", Papers: []string{shah, chen, rahimi}, Readable: true,
		Source: "LIBSVM data, binary, a9a and a9a.t; " + uci + ", Adult", Licence: ccBy, Citation: "B. Becker, R. Kohavi, Adult, UCI MLR, 1996",
		Differs: "index 123 is never set in a9a.t, and one paper counts 122 inputs",
		Files: []File{
			{"adult/a9a.gz", 32561, 123, "82d347cf414924a79e7972829fdeb99ff23346742c49a3bc76b89ff8736a485e"},
			{"adult/a9a.t.gz", 16281, 123, "d52d0c91c3f108f1bf34e4af73003a01ce19c3fcf099f319f084ebb349b8d16c"}}},
	{Name: "blogfeedback", Title: "BlogFeedback", Task: "regression, comments in 24 hours", Papers: []string{chen}, Readable: true,
		Source: uci + ", BlogFeedback", Licence: ccBy, Citation: "K. Buza, Feedback prediction for blogs, 2014",
		Differs: "the 60 daily test files are joined",
		Files: []File{
			{"blogfeedback/blogfeedback.train.csv.gz", 52397, 280, "4fe5934695f6d0ee89a67fce43214be5da18a830f20b67df198acd7e39a97e3b"},
			{"blogfeedback/blogfeedback.test.csv.gz", 7624, 280, "67861a5fb6d2ca4348781dded144c29200503b236b83399cfdbd05887c5b51ff"}}},
	{Name: "cod-rna", Title: "cod-RNA", Task: "2 classes", Papers: []string{liu}, Readable: true,
		Source: "LIBSVM data, binary, cod-rna and cod-rna.t", Licence: unknown, Citation: "A. V. Uzilov, J. M. Keegan, D. H. Mathews, BMC Bioinformatics 7:173, 2006",
		Differs: "the paper tests on cod-rna.r (157,413 rows), which is not there; cod-rna.t stands for it",
		Files: []File{
			{"cod-rna/cod-rna.train.csv.gz", 59535, 8, "993d1b784d5febb3772b782445a6e4147481a9173d9a934c7d6679ff36fed1d5"},
			{"cod-rna/cod-rna.test.csv.gz", 271617, 8, "c0ce1cb832ca6780399b395f1ed730055f2cd315f17801292ac14c6d88223535"}}},
	{Name: "covtype", Title: "Covertype, class 2 against the rest", Task: "2 classes", Papers: []string{liu}, Readable: true,
		Source: uci + ", Covertype", Licence: ccBy, Citation: "J. A. Blackard, D. J. Dean, Computers and Electronics in Agriculture 24:131–151, 1999",
		Differs: "a sample of 16 % of the 581,012 rows, stratified by class",
		Files: []File{
			{"covtype/covtype-sample.csv.gz", 92962, 54, "70d658be1bedd1bb1814e2400a79d76e2b8cc9e4088fcce8ec5a706b08cb3d90"}}},
	{Name: "cpuact", Title: "Computer activity (cpu_act)", Task: "regression, usr", Papers: []string{chen, rahimi}, Readable: true,
		Source: "DELVE, comp-activ", Licence: unknown, Citation: "DELVE archive, University of Toronto, 1996",
		Differs: "8,192 rows, where the papers have 6,500 to train on",
		Files: []File{
			{"cpuact/cpuact.csv.gz", 8192, 21, "79c6ab55f20bfd71a7f9cf01714b151ef4e83c030c2af8479f3d58349e3c605a"}}},
	{Name: "eeg", Title: "EEG Eye State", Task: "2 classes", Papers: []string{liu}, Readable: true,
		Source: uci + ", EEG Eye State", Licence: ccBy, Citation: "O. Roesler, EEG Eye State, UCI MLR, 2013",
		Files: []File{
			{"eeg/eeg.csv.gz", 14980, 14, "439f5d78723f2d75c433d38fc33fa3bc8aceb360183e6a500bb0c19bca129605"}}},
	{Name: "kddcup99", Title: "KDD Cup 1999, 10 %", Task: "2 classes", Papers: []string{rahimi}, Readable: true,
		Source: uci + ", KDD Cup 1999 data", Licence: ccBy, Citation: "S. Stolfo et al., KDD Cup 1999 data, UCI MLR",
		Differs: "494,021 rows of 118 inputs; the paper has all 4.9 million rows in a coding of 127 inputs",
		Files: []File{
			{"kddcup99/kddcup99-10pct.csv.gz", 494021, 118, "54f14c59163c3aeb6825f656bb602fecf138176f845235874c1755322ee515ec"}}},
	{Name: "letter", Title: "Letter recognition", Task: "26 classes", Papers: []string{shah}, Readable: true,
		Source: "built in; " + uci + ", Letter Recognition", Licence: ccBy, Citation: "P. W. Frey, D. J. Slate, Machine Learning 6:161–182, 1991"},
	{Name: "magic04", Title: "MAGIC gamma telescope", Task: "2 classes", Papers: []string{liu}, Readable: true,
		Source: uci + ", MAGIC Gamma Telescope, magic04.data", Licence: ccBy, Citation: "R. Bock, MAGIC Gamma Telescope, UCI MLR, 2007",
		Files: []File{
			{"magic04/magic04.csv.gz", 19020, 10, "f30f9b48fab50bce033d961023a367f3b78372d76f950e3b61b42c66f2ea0301"}}},
	{Name: "mnist", Title: "MNIST", Task: "10 classes", Papers: []string{shah, chen}, Readable: true,
		Source: "the MNIST database", Licence: "CC BY-SA 3.0, as commonly stated", Citation: "Y. LeCun, L. Bottou, Y. Bengio, P. Haffner, Proc. IEEE 86(11), 1998",
		Differs: "the training images are packed again: the unpacked bytes are the published ones",
		Files: []File{
			{"mnist/train-images-idx3-ubyte.gz", 60000, 784, "0b367032e93c5d0cea0925647cfdb18614af8ee15f83e6f2fc2ad904a6835971"},
			{"mnist/train-labels-idx1-ubyte.gz", 60000, 0, "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"},
			{"mnist/t10k-images-idx3-ubyte.gz", 10000, 784, "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"},
			{"mnist/t10k-labels-idx1-ubyte.gz", 10000, 0, "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"}}},
	{Name: "onlinenews", Title: "Online News Popularity", Task: "regression, shares", Papers: []string{shah}, Readable: true,
		Source: uci + ", Online News Popularity", Licence: ccBy, Citation: "K. Fernandes, P. Vinagre, P. Cortez, EPIA 2015",
		Differs: "all 39,644 rows, but 14 of the 58 predictors",
		Files: []File{
			{"onlinenews/onlinenews-14f.csv.gz", 39644, 14, "2ae75b280efa19d8077c4adb37412fa9a89f7c0aabcf946b2418fbe3e0e23cde"}}},
	{Name: "ujiindoorloc", Title: "UJIIndoorLoc", Task: "5 classes, the floor", Papers: []string{chen}, Readable: true,
		Source: uci + ", UJIIndoorLoc", Licence: ccBy, Citation: "J. Torres-Sospedra et al., IPIN 2014",
		Files: []File{
			{"ujiindoorloc/ujiindoorloc.train.csv.gz", 19937, 520, "d9c124265ce5330581075c3512a03f54110304ce3a8812fe6665a9176f3e0ef7"},
			{"ujiindoorloc/ujiindoorloc.test.csv.gz", 1111, 520, "e72e94b745fc93464c27192af8d7b5b1f218f161b9c6cd0de1498be187ecea81"}}},

	{Name: "buzz", Title: "Buzz in Social Media (Twitter)", Task: "regression", Papers: []string{shah}, Source: uci + ", Buzz in social media", Licence: ccBy, Citation: "F. Kawala et al., 2013"},
	{Name: "year", Title: "YearPredictionMSD", Task: "regression, the year", Papers: []string{shah}, Source: uci + ", YearPredictionMSD", Licence: ccBy, Citation: "T. Bertin-Mahieux et al., ISMIR 2011"},
	{Name: "hand", Title: "Human activity recognition (UCI HAR, 561 inputs)", Task: "6 classes", Papers: []string{shah}, Source: uci + ", Human Activity Recognition Using Smartphones", Licence: ccBy, Citation: "D. Anguita et al., ESANN 2013"},
	{Name: "slice", Title: "Relative location of CT slices", Task: "regression", Papers: []string{chen}, Source: uci + ", Relative location of CT slices on axial axis", Licence: ccBy, Citation: "F. Graf et al., MICCAI 2011"},
	{Name: "census", Title: "Census house prices (18,000 × 119)", Task: "regression", Papers: []string{rahimi}, Source: "DELVE, census-house", Licence: unknown, Citation: "DELVE archive, University of Toronto, 1996"},
	{Name: "covtype-full", Title: "Covertype, all 581,012 rows", Task: "2 classes", Papers: []string{liu}, Source: uci + ", Covertype", Licence: ccBy, Citation: "J. A. Blackard, D. J. Dean, 1999"},
	{Name: "cod-rna-r", Title: "cod-RNA, the remaining 157,413 rows", Task: "2 classes", Papers: []string{liu}, Source: "LIBSVM data, binary, cod-rna.r", Licence: unknown, Citation: "A. V. Uzilov, J. M. Keegan, D. H. Mathews, 2006"},
}

// Where says where to get a set, for an error that it is missing.
func Where(name string) string {
	for _, e := range catalog {
		if e.Name == name {
			return e.Source
		}
	}
	return ""
}

// DigestError says that a file has other bytes than the results were made from.
type DigestError struct {
	Path, SHA256, Want string
}

func (e *DigestError) Error() string {
	return fmt.Sprintf("%s has the SHA-256 %s, not %s: the rows may be the same, packed otherwise, or others", e.Path, e.SHA256, e.Want)
}

// Verify reads a file of the data folder and compares its digest. folder "" is
// RFF_DATA. The error is a *sets.FolderError if it is not there, a *DigestError if it has
// other bytes, or of reading it.
func (f File) Verify(ctx context.Context, set, folder string) error {
	if folder == "" {
		folder = os.Getenv("RFF_DATA")
	}
	if folder == "" {
		return &sets.FolderError{Set: set}
	}
	path := filepath.Join(folder, filepath.FromSlash(f.Path))
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &sets.FolderError{Set: set, File: path, Err: err}
	}
	if err != nil {
		return err
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, &interruptible{ctx, file}); err != nil {
		return err
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != f.SHA256 {
		return &DigestError{path, got, f.SHA256}
	}
	return nil
}

// interruptible is a reader that ends with a context.
type interruptible struct {
	ctx context.Context
	r   io.Reader
}

func (r *interruptible) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.r.Read(p)
}
