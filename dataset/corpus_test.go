package dataset

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"github.com/rffgo/rff"
)

// The corpus: texts of several chunks, each with something that is easy to get wrong
// when it is cut in pieces. testdata/corpus.txt has what reading them line by line gave
// (commit 20c8adc, before there were pieces): rows and errors of every one.

var writeCorpus = flag.Bool("corpus", false, "write testdata/corpus.txt anew")

type specimen struct {
	name    string
	text    []byte
	options Options
	keepOn  bool // leave bad rows out
}

// wordSchema is the schema of three columns of numbers and one of words.
func wordSchema(unseen string) *rff.Schema {
	return &rff.Schema{Unseen: unseen, Inputs: []rff.Column{{Name: "b"}, {Name: "c"}, {Name: "d"}, {Name: "y", Words: []string{"w", "u", "v"}}}}
}

func zipped(b []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	z.Write(b)
	z.Close()
	return out.Bytes()
}

// table returns rows of numbers of all kinds under a header.
func corpusTable(rows int, separator, end string, label func(i int) string) string {
	rng := rand.New(rand.NewPCG(7, uint64(rows)))
	var b strings.Builder
	b.WriteString(strings.Join([]string{"a", "b", "c", "d", "y"}, separator) + end)
	for i := range rows {
		fmt.Fprintf(&b, "%d%s%v%s%.3f%s%.18e%s%s%s", rng.IntN(10), separator, rng.NormFloat64(), separator, rng.Float64(), separator, rng.ExpFloat64()*math.Pow10(rng.IntN(60)-30), separator, label(i), end)
	}
	return b.String()
}

// edited returns text with line n (from 1) replaced.
func edited(text string, n int, line string) string {
	lines := strings.SplitAfter(text, "\n")
	lines[n-1] = line
	return strings.Join(lines, "")
}

func specimens() []specimen {
	word := func(i int) string { return []string{"u", "v", "w"}[i%3] }
	quoted := func(i int) string { return `"` + word(i) + `"` }
	plain := corpusTable(9000, ",", "\n", word)
	half := 5000
	gz := zipped([]byte(plain))
	var svm strings.Builder
	for i := range 30000 {
		fmt.Fprintf(&svm, "%d %d:%.17g %d:1 # comment\n", i%3, 1+i%7, float64(i)/7, 9+i%5)
		if i%1000 == 0 {
			svm.WriteString("\n# nothing\n")
		}
	}
	lines := func(of string, n int) string { return strings.Repeat(of, n) }
	out := []specimen{
		{name: "plain", text: []byte(plain)},
		{name: "crlf", text: []byte(strings.ReplaceAll(plain, "\n", "\r\n"))},
		{name: "bom", text: []byte("\ufeff" + plain)},
		{name: "no last end", text: []byte(strings.TrimSuffix(plain, "\n"))},
		{name: "no last end, crlf", text: []byte(strings.TrimSuffix(strings.ReplaceAll(plain, "\n", "\r\n"), "\n"))},
		{name: "blank lines", text: []byte(strings.ReplaceAll(plain, "\n", "\n\n \t\n"))},
		{name: "semicolons", text: []byte(corpusTable(9000, ";", "\n", word))},
		{name: "tabs", text: []byte(corpusTable(9000, "\t", "\n", word))},
		{name: "spaces", text: []byte(corpusTable(9000, "   ", " \n", word))},
		{name: "spaces and quotes", text: []byte(corpusTable(9000, " \t ", "\n", func(i int) string { return `"a  ` + word(i) + `"` }))},
		{name: "quoted labels", text: []byte(corpusTable(9000, ",", "\n", quoted))},
		{name: "doubled quotes", text: []byte(corpusTable(9000, ",", "\n", func(i int) string { return `"""` + word(i) + `"","` }))},
		{name: "lines in quotes", text: []byte(corpusTable(9000, ",", "\r\n", func(i int) string { return "\"" + word(i) + "\r\n,\n\n" + word(i+1) + "\"" }))},
		{name: "a line in quotes", text: []byte(edited(plain, half, "1,2,3,4,\"u\n1,2,3,4,u\n\"\n"))},
		{name: "quotes within fields", text: []byte(corpusTable(9000, ",", "\n", func(i int) string { return `5"` + word(i) + `"` }))},
		{name: "unclosed", text: []byte(edited(plain, half, "1,2,3,4,\"u\n"))},
		{name: "unclosed, skipped", text: []byte(edited(plain, half, "1,2,3,4,\"u\n")), keepOn: true},
		{name: "unclosed beyond the limit", text: []byte(edited(plain, half, "1,2,3,4,\"u\n")), options: Options{ours: ours{MaxColumns: 2000}}},
		{name: "unclosed beyond the limit, skipped", text: []byte(edited(edited(plain, half, "1,2,3,4,\"u\n"), 8000, "\"1\",\"2\",3,4,u\n")), options: Options{ours: ours{MaxColumns: 2000}}, keepOn: true},
		{name: "text after quote", text: []byte(edited(plain, half, "1,2,3,4,\"u\"v\n"))},
		{name: "bad number", text: []byte(edited(edited(plain, half, "1,x,3,4,u\n"), half+1, "1,2,x,4,u\n"))},
		{name: "bad numbers, skipped", text: []byte(edited(edited(edited(plain, half, "1,x,3,4,u\n"), half+3, "1,2,3\n"), 9001, "1,2,3,4,\n")), keepOn: true},
		{name: "all bad, skipped", text: []byte("a,b,y\n" + lines("x,y,z\n", 60000)), keepOn: true, options: Options{Label: "y", Schema: &rff.Schema{Inputs: rff.Columns("a", "b")}}},
		{name: "ragged", text: []byte(edited(plain, 8000, "1,2,3,4,u,5\n"))},
		{name: "first row bad", text: []byte("1,2,3,4,u\n1,x,3,4,v\n" + plain)},
		{name: "nul", text: []byte(edited(plain, half, "1,\x00,3,4,u\n"))},
		{name: "nul label", text: []byte(edited(plain, half, "1,2,3,4,\x00\n"))},
		{name: "cr inside", text: []byte(edited(plain, half, "1,2\r3,3,4,u\n"))},
		{name: "not finite", text: []byte(edited(plain, half, "1,2,1e999,4,u\n"))},
		{name: "huge label", text: []byte(edited(plain, half, "1,2,3,4,"+lines("u", 2000)+"\n"))},
		{name: "latin-1 label", text: []byte(corpusTable(9000, ",", "\n", func(i int) string { return "\xe9" + word(i) }))},
		{name: "long line", text: []byte(edited(plain, half, "1,2,3,4,"+lines("u", 1<<20)+"\n"))},
		{name: "long blank line", text: []byte(edited(plain, half, lines(" ", 1<<20)+"\n"))},
		{name: "long number", text: []byte(edited(plain, half, "0."+lines("1", 700000)+",2,3,4,u\n"))},
		{name: "line beyond the limit", text: []byte(edited(plain, half, "1,2,3,4,"+lines("u", 5<<20)+"\n"))},
		{name: "line beyond a small limit", text: []byte(edited(plain, half, "1,2,3,4,"+lines("u", 1000)+"\n")), options: Options{ours: ours{MaxColumns: 8}}},
		{name: "line of a buffer beyond a small limit", text: []byte(edited(plain, half, "1,2,3,4,"+lines("u", 300000)+"\n")), options: Options{ours: ours{MaxColumns: 8}}},
		{name: "missing", text: []byte(edited(edited(plain, half, "1,,3,4,u\n"), 7000, "1,2,,4,u\n"))},
		{name: "missing, nan", text: []byte(edited(edited(plain, half, "1,,3,4,u\n"), 7000, "1,2,,4,u\n")), options: Options{Missing: rff.MissingNaN}},
		{name: "missing, dropped", text: []byte(edited(edited(plain, half, "1,,3,4,u\n"), 7000, "1,2,3,4,\n")), options: Options{Missing: rff.MissingDrop}},
		{name: "missing, dropped, then bad", text: []byte(edited(edited(plain, half, "1,,3,4,u\n"), 7000, "1,2,3,q,\n")), options: Options{Missing: rff.MissingDrop}},
		{name: "weights and groups", text: []byte(plain), options: Options{Weights: "c", Groups: "a"}},
		{name: "negative weight", text: []byte(edited(plain, half, "1,2,-3,4,u\n")), options: Options{Weights: "c"}},
		{name: "inputs", text: []byte(plain), options: Options{Inputs: []string{"d", "1"}}},
		{name: "no label", text: []byte(plain), options: Options{Task: Unlabelled, Inputs: []string{"a", "c"}}},
		{name: "categories", text: []byte(plain), options: Options{Label: "a", Schema: wordSchema("")}},
		{name: "unseen", text: []byte(plain + "1,2,3,4,z\n"), options: Options{Label: "a", Schema: wordSchema("")}},
		{name: "unseen, zero", text: []byte(plain + "1,2,3,4,z\n"), options: Options{Label: "a", Schema: wordSchema("zero")}},
		{name: "categories to be found", text: []byte(plain), options: Options{Label: "a", Categories: []string{"y"}}},
		{name: "gz", text: gz},
		{name: "gz of two members", text: append(bytes.Clone(gz), zipped([]byte(plain[strings.IndexByte(plain, '\n')+1:]))...)},
		{name: "gz of members within a line", text: append(zipped([]byte(plain[:400000])), zipped([]byte(plain[400000:]))...)},
		{name: "gz cut", text: gz[:len(gz)*2/3]},
		{name: "gz without its end", text: gz[:len(gz)-3]},
		{name: "gz and garbage", text: append(bytes.Clone(gz), "garbage"...)},
		{name: "gz, wrong checksum", text: func() []byte { b := bytes.Clone(gz); b[len(b)-7] ^= 1; return b }()},
		{name: "gz, damaged", text: func() []byte { b := bytes.Clone(gz); b[len(b)/2] ^= 0xff; return b }()},
		{name: "comma e", text: []byte("aexey\n" + lines("1e5e7\n", 60000)), options: Options{Comma: 'e', Header: "yes"}},
		{name: "one column", text: []byte("y\n" + lines("u\n", 200000)), options: Options{Task: Unlabelled, Schema: &rff.Schema{Inputs: rff.Columns("y")}}},
		{name: "decimal commas", text: []byte("a;b;y\n" + lines("1;2,5;u\n", 60000))},
		{name: "ends in separators", text: []byte("a,b,y,\n" + lines("1,2,u,\n", 60000) + "1,2,u,5\n")},
		{name: "row names", text: []byte("a,b,y\n" + lines("r,1,2,u\n", 60000))},
		{name: "wide", text: []byte(lines("1,", 3000) + "u\n" + lines(lines("0,", 3000)+"v\n", 200))},
		{name: "svm", text: []byte(svm.String())},
		{name: "svm, narrow", text: []byte(svm.String() + "1 20:1\n"), options: Options{Width: 13}},
		{name: "svm, bad", text: []byte(strings.Replace(svm.String(), "9:1 # comment\n2", "9:x\n2", 1)), options: Options{Width: 13}},
		{name: "svm, bad rows skipped", text: []byte(strings.ReplaceAll(svm.String(), "13:1 ", "1:1 ")), keepOn: true, options: Options{Width: 13}},
		{name: "svm, quotes in comments", text: []byte(strings.ReplaceAll(svm.String(), "comment", `"comment`))},
		{name: "svm, long line", text: []byte(svm.String() + "1 1:" + lines("0", 1<<20) + "\n" + svm.String())},
		{name: "svm, nul", text: []byte(svm.String() + "1 1:\x00\n" + svm.String()), options: Options{Width: 13}},
	}
	return out
}

// outcome says what reading gave: a digest of all that the rows hold, and the errors.
func outcome(open func(Options) (*Files, error), s specimen) string {
	sum := fnv.New64a()
	var all []byte
	n, skipped := 0, fnv.New64a()
	var text strings.Builder
	o := s.options
	if s.keepOn {
		bad := 0
		o.BadRow = func(e *ParseError) bool {
			if bad++; bad <= 3 {
				fmt.Fprintf(&text, "; skipped %v", e)
			}
			fmt.Fprintln(skipped, e)
			return true
		}
	}
	f, err := open(o)
	if err == nil {
		for row, e := range f.Rows(context.Background()) {
			if e != nil {
				err = e
				break
			}
			n++
			all = all[:0]
			for _, v := range row.X {
				all = binary.LittleEndian.AppendUint64(all, math.Float64bits(v))
			}
			for _, v := range []uint64{uint64(n - 1), math.Float64bits(row.label.Value), math.Float64bits(row.Weight), row.group, uint64(row.Place.Row), uint64(row.Place.Line), uint64(row.textBytes)} {
				all = binary.LittleEndian.AppendUint64(all, v)
			}
			for _, v := range []bool{row.label.Text == nil, row.label.Number, row.Missing} {
				all = strconv.AppendBool(all, v)
			}
			sum.Write(append(all, row.label.Text...))
		}
		fmt.Fprintf(&text, "; %s", strings.Join(f.layout.notes, "; "))
	}
	var read *ReadError
	if errors.As(err, &read) {
		fmt.Fprintf(&text, "; after %d", read.Row)
	}
	return fmt.Sprintf("%d rows %016x %016x error %v%s", n, sum.Sum64(), skipped.Sum64(), err, text.String())
}

func TestChunksReadWhatLinesRead(t *testing.T) {
	want := map[string]string{}
	const file = "testdata/corpus.txt"
	if !*writeCorpus {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			name, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
			want[name] = text
		}
	}
	var written strings.Builder
	for i, s := range specimens() {
		t.Run(s.name, func(t *testing.T) {
			name := strings.ReplaceAll(s.name, " ", "-")
			fs := fstest.MapFS{name: {Data: s.text}}
			fromFile := func(workers int) string {
				return outcome(func(o Options) (*Files, error) {
					o.FS = fs
					corpusWorkers(&o, workers)
					return Open(context.Background(), o, name)
				}, s)
			}
			fromStream := func(way func(io.Reader) io.Reader) string {
				return outcome(func(o Options) (*Files, error) {
					corpusWorkers(&o, 3)
					return OpenReader(context.Background(), o, name, way(bytes.NewReader(s.text)))
				}, s)
			}
			once := s.options.Categories == nil && !(strings.HasPrefix(s.name, "svm") && s.options.Width == 0) // or it needs two passes
			if *writeCorpus {
				whole := fromFile(1)
				fmt.Fprintf(&written, "%s: %s\n", name, whole)
				if once {
					if own := fromStream(iotest.HalfReader); own != whole { // damage is looked for in what can be read again
						fmt.Fprintf(&written, "%s-once: %s\n", name, own)
					}
				}
				return
			}
			// One worker takes chunks in turn; of several, two and eight do the same.
			for _, workers := range []int{1, 2 + 6*(i%2)} {
				if got := fromFile(workers); got != want[name] {
					t.Errorf("on %d workers:\n%s\nwant\n%s", workers, got, want[name])
				}
			}
			own, differs := want[name+"-once"]
			if !differs {
				own = want[name]
			}
			for _, way := range []func(io.Reader) io.Reader{iotest.HalfReader, func(r io.Reader) io.Reader { return &smallReads{r: r} }} {
				if !once {
					break
				}
				if got := fromStream(way); got != own {
					t.Errorf("from a stream:\n%s\nwant\n%s", got, own)
				}
			}
		})
	}
	if *writeCorpus {
		if err := os.WriteFile(file, []byte(written.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// smallReads gives a few hundred bytes at a time, as a slow writer does.
type smallReads struct {
	r io.Reader
	n int
}

func (s *smallReads) Read(b []byte) (int, error) {
	s.n = s.n*31%997 + 1
	return s.r.Read(b[:min(len(b), s.n)])
}

func corpusWorkers(o *Options, n int) { o.ours.Workers = n }
