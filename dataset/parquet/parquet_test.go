package parquet_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/dataset/parquet"
	"github.com/rffgo/rff/internal/inside/hook"
)

// same are files of the same seven rows, with what each of them has of the columns.
var same = []string{"js.arrow", "js.arrows", "rust-snappy.parquet", "rust-zstd.parquet", "hyparquet.parquet", "polars.parquet", "polars.arrow"}

func open(t *testing.T, o dataset.Options, name string) *dataset.Files {
	t.Helper()
	f, err := dataset.Open(context.Background(), o, filepath.Join("testdata", name))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return f
}

func rows(t *testing.T, f *dataset.Files) (x [][]float64, labels []string) {
	t.Helper()
	for row, err := range f.Rows(context.Background()) {
		if err != nil {
			t.Fatalf("%s: %v", "rows", err)
		}
		x, labels = append(x, slices.Clone(row.X)), append(labels, row.Label())
	}
	return x, labels
}

func TestFilesOfOtherLibraries(t *testing.T) {
	want := []float64{0.5, 1.5, 2.5, 3.5, 4.5, -5.5, 6.5}
	flags := []float64{1, 0, 1, 1, 0, 0, 1}
	for _, name := range same {
		x, labels := rows(t, open(t, dataset.Options{Label: "y", Inputs: []string{"flag", "f64"}}, name))
		if len(x) != 7 || strings.Join(labels, "") != "abababb" {
			t.Fatalf("%s: %d rows, labels %v", name, len(x), labels)
		}
		for i := range x {
			if x[i][0] != flags[i] || x[i][1] != want[i] {
				t.Errorf("%s: row %d: %v", name, i, x[i])
			}
		}
	}
	// What the others wrote, as their documentation has it.
	x, labels := rows(t, open(t, dataset.Options{Label: "string_col", Inputs: []string{"id", "bigint_col", "float_col", "double_col"}}, "alltypes_plain.snappy.parquet"))
	if !slices.Equal(x[1], []float64{7, 10, float64(float32(1.1)), 10.1}) || !slices.Equal(labels, []string{"0", "1"}) {
		t.Errorf("Impala: %v, %v", x, labels)
	}
	x, _ = rows(t, open(t, dataset.Options{Task: dataset.Unlabelled}, "int32_decimal.parquet"))
	for i := range 24 {
		if x[i][0] != float64(i+1) {
			t.Errorf("decimals: %v", x)
		}
	}
	x, labels = rows(t, open(t, dataset.Options{Label: "c1"}, "lz4_raw_compressed.parquet"))
	if !slices.Equal(labels, []string{"abc", "def", "abc", "def"}) || x[2][1] != 42.125 {
		t.Errorf("pyarrow: %v, %v", x, labels)
	}
	if _, err := dataset.Read(t.Context(), dataset.Options{}, "testdata/no-rows.parquet"); err == nil || !strings.Contains(err.Error(), "the file has no rows") {
		t.Errorf("no rows: %v", err)
	}
}

func TestTypesOfColumns(t *testing.T) {
	for _, name := range []string{"js.arrow", "js.arrows", "rust-zstd.parquet"} {
		x, _ := rows(t, open(t, dataset.Options{Label: "y", Inputs: []string{"u8", "i64"}}, name))
		if x[6][0] != 255 || x[6][1] != -9007199254740991 {
			t.Errorf("%s: %v", name, x[6])
		}
		// Nested columns and times are refused by name, once they are used.
		for column, need := range map[string]string{"pair": "nested"} {
			f := open(t, dataset.Options{Label: "y", Inputs: []string{"f64", column}}, name)
			_, err := f.Scan(context.Background(), nil)
			var p *dataset.ParseError
			if !errors.As(err, &p) || p.Name != column || !strings.Contains(p.Need, need) {
				t.Errorf("%s: column %s: %v", name, column, err)
			}
		}
		// A dictionary of text is a label; integers are grouped by their value.
		f := open(t, dataset.Options{Label: "proto", Inputs: []string{"f64"}, Missing: rff.MissingDrop}, name)
		_, labels := rows(t, f)
		if strings.Join(labels, " ") != "tcp udp tcp icmp tcp udp" {
			t.Errorf("%s: %v", name, labels)
		}
	}
}

func TestNulls(t *testing.T) {
	ctx := context.Background()
	for _, name := range same {
		o := dataset.Options{Label: "y", Inputs: []string{"i32", "f64"}}
		_, err := open(t, o, name).Scan(ctx, nil)
		var p *dataset.ParseError
		if !errors.As(err, &p) || p.Row != 4 || p.Name != "i32" || !strings.Contains(p.Need, "missing") {
			t.Fatalf("%s: %v", name, err)
		}
		o.Missing = rff.MissingDrop
		s, err := open(t, o, name).Scan(ctx, nil)
		if err != nil || s.Rows != 6 || s.Dropped != 1 {
			t.Fatalf("%s: %+v, %v", name, s, err)
		}
		o.Missing = rff.MissingMean
		f := open(t, o, name)
		if s, err = f.Scan(ctx, nil); err != nil || s.Rows != 7 || s.Missing != 1 {
			t.Fatalf("%s: %+v, %v", name, s, err)
		}
		if want := (1 - 2 + 3 + 5 + 6 + 7) / 6.0; math.Abs(s.Scaling(dataset.Standard).Shift[0]-want) > 1e-15 {
			t.Errorf("%s: fill %v, want %g", name, s.Scaling(dataset.Standard).Shift, want)
		}
		x, _ := rows(t, hook.Filled(f, s).(*dataset.Files))
		sampled := false // the sample is in the order of hashes
		for i := range s.Sample.Len() {
			sampled = sampled || slices.Equal(s.Sample.X.Row(i), x[3])
		}
		if x[3][0] != s.Scaling(dataset.Standard).Shift[0] || x[3][1] != 3.5 || !sampled {
			t.Errorf("%s: %v, sample %v", name, x[3], s.Sample.X)
		}
	}
	f := open(t, dataset.Options{Task: dataset.Unlabelled}, "single_nan.parquet") // pandas writes NaN as null
	if _, err := f.Scan(ctx, nil); err == nil || !strings.Contains(err.Error(), "missing") {
		t.Errorf("%v", err)
	}
	f = open(t, dataset.Options{Task: dataset.Unlabelled, Inputs: []string{"value"}}, "null_columns.parquet")
	if _, err := f.Scan(ctx, nil); err == nil || !strings.Contains(err.Error(), `"value"`) {
		t.Errorf("%v", err)
	}
}

func TestCategories(t *testing.T) {
	for _, name := range same {
		o := dataset.Options{Label: "y", Inputs: []string{"f64", "proto"}, Categories: []string{"proto"}, Missing: rff.MissingMean}
		f := open(t, o, name)
		if got := strings.Join(f.Schema().InputNames(), " "); got != "f64 proto=icmp proto=tcp proto=udp" {
			t.Fatalf("%s: inputs %s", name, got)
		}
		s, err := f.Scan(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		x, _ := rows(t, hook.Filled(f, s).(*dataset.Files))
		for i, want := range [][]float64{{0, 1, 0}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0}, {0, 1, 0}, {1. / 6, 3. / 6, 2. / 6}, {0, 0, 1}} {
			for j, v := range want { // a word that is missing: the share of each level
				if math.Abs(x[i][1+j]-v) > 1e-15 {
					t.Errorf("%s: row %d: %v, want %v", name, i, x[i][1:], want)
				}
			}
		}
	}
	o := dataset.Options{Label: "y", Inputs: []string{"f64", "proto"}, Missing: rff.MissingDrop,
		Schema: &rff.Schema{Inputs: []rff.Column{{Name: "f64"}, {Name: "proto", Words: []string{"tcp", "icmp"}}}}}
	f := open(t, o, "js.arrow")
	var err error
	for _, e := range f.Rows(context.Background()) {
		err = e
	}
	var p *dataset.ParseError
	if !errors.As(err, &p) || p.Row != 2 || p.Value != "udp" {
		t.Errorf("unseen level: %v", err)
	}
	o.Schema.Unseen = "zero"
	x, _ := rows(t, open(t, o, "js.arrow"))
	if !slices.Equal(x[1], []float64{1.5, 0, 0}) || !slices.Equal(x[3], []float64{3.5, 0, 1}) {
		t.Errorf("%v", x)
	}
}

// A first part without rows, whose columns have the type of nulls, does not make numbers of the
// words and dates of others.
func TestColumnsWithoutType(t *testing.T) {
	for _, name := range []string{"%s.parquet", "%s-plain.parquet", "%s.feather"} {
		var want [][]float64
		for _, parts := range [][]string{{"some"}, {"none", "some"}, {"some", "none"}} {
			var paths []string
			for _, p := range parts {
				paths = append(paths, filepath.Join("testdata", "untyped", fmt.Sprintf(name, p)))
			}
			f, err := dataset.Open(t.Context(), dataset.Options{Task: dataset.Regression}, paths...)
			if err != nil {
				t.Fatalf("%s of %v: %v", name, parts, err)
			}
			x, _ := rows(t, f)
			if want == nil {
				want = x
			}
			if names := strings.Join(f.Schema().InputNames(), " "); !strings.HasPrefix(names, "x word=a word=b when") || fmt.Sprint(x) != fmt.Sprint(want) {
				t.Errorf("%s of %v: inputs %s, %v, want %v", name, parts, names, x, want)
			}
		}
	}
}

// A part without rows whose column has numbers, or words, says nothing of the others.
func TestTypesWithoutRows(t *testing.T) {
	dir := t.TempDir()
	part := func(name string, isText bool, cells ...string) string {
		var b bytes.Buffer
		w, err := parquet.NewWriter(&b, []parquet.Column{{Name: "c", Text: isText}, {Name: "y"}})
		if err != nil {
			t.Fatal(err)
		}
		for i, cell := range cells {
			if isText {
				w.Text(cell)
			} else {
				w.Number(float64(len(cell)))
			}
			w.Number(float64(i) + .5)
			if err := w.EndRow(); err != nil {
				t.Fatal(err)
			}
		}
		path := filepath.Join(dir, name)
		if err := errors.Join(w.Close(), os.WriteFile(path, b.Bytes(), 0o666)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	words, numbers := part("words", true, "b", "a", "b"), part("numbers", false, "b", "aa", "b")
	noWords, noNumbers := part("none", true), part("nil", false)
	for want, sets := range map[string][][]string{
		"[c=a c=b] [0 1 1 0 0 1]": {{words}, {noNumbers, words}, {noNumbers, noWords, words}, {words, noNumbers}},
		"[c] [1 2 1]":             {{numbers}, {noWords, numbers}, {noNumbers, noWords, numbers}, {numbers, noWords}},
	} {
		for _, paths := range sets {
			f, err := dataset.Open(t.Context(), dataset.Options{Task: dataset.Regression}, paths...)
			if err != nil {
				t.Fatalf("%v: %v", paths, err)
			}
			table, err := f.Table(t.Context())
			if err != nil {
				t.Errorf("%v: %v", paths, err)
			} else if got := fmt.Sprint(f.Schema().InputNames(), table.X.Data); got != want {
				t.Errorf("%v: %s, want %s", paths, got, want)
			}
		}
	}
}

// What Writer writes is read back, in row groups that are read at a time.
func TestWriter(t *testing.T) {
	var b bytes.Buffer
	w, err := parquet.NewWriter(&b, []parquet.Column{{Name: "x"}, {Name: "y", Text: true}})
	if err != nil {
		t.Fatal(err)
	}
	const n = 300_001
	for i := range n {
		w.Number(float64(i) / 3)
		w.Text([]string{"a", "b", "c"}[i%3])
		if err := w.EndRow(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "t.parquet")
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := dataset.Open(context.Background(), dataset.Options{}, path)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		i := 0
		for row, err := range f.Rows(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			if row.X[0] != float64(i)/3 || row.Label() != []string{"a", "b", "c"}[i%3] || row.Place.Row != int64(i)+1 {
				t.Fatalf("row %d: %v %v", i, row.X, row.Label())
			}
			i++
		}
		if i != n {
			t.Fatalf("%d rows of %d", i, n)
		}
	}
	// A pass that is given up ends its goroutines, and one that is cancelled says so.
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var last error
	for _, err := range f.Rows(ctx) {
		stop()
		last = err
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("cancelled: %v", last)
	}
	for range f.Rows(context.Background()) {
		break
	}
}

// Infinities are refused with their row and column, wherever they stand. NaN is missing.
func TestNotFinite(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		isNaN := math.IsNaN(bad)
		var b bytes.Buffer
		w, err := parquet.NewWriter(&b, []parquet.Column{{Name: "u"}, {Name: "v"}, {Name: "y"}})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 9000 {
			v := float64(i)
			if i == 8500 {
				v = bad
			}
			w.Number(1)
			w.Number(v)
			w.Number(float64(i%7) + .5)
			if err := w.EndRow(); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "t.parquet")
		if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := dataset.Open(context.Background(), dataset.Options{Missing: rff.MissingMean}, path)
		if err != nil {
			t.Fatal(err)
		}
		s, err := f.Scan(context.Background(), nil)
		var p *dataset.ParseError
		if isNaN {
			if err != nil || s.Missing != 1 || math.Abs(s.Scaling(dataset.Standard).Shift[1]-(8999*9000/2-8500)/8999.) > 1e-9 {
				t.Errorf("NaN: %+v, %v", s, err)
			}
			if f, err = dataset.Open(context.Background(), dataset.Options{}, path); err != nil {
				t.Fatal(err)
			}
			_, err = f.Scan(context.Background(), nil)
		}
		if !errors.As(err, &p) || p.Row != 8501 || p.Name != "v" || strings.Contains(p.Need, "missing (NaN)") != isNaN {
			t.Errorf("%g: %v", bad, err)
		}
	}
}

// Files that are cut or changed give errors, whatever the library makes of them.
func TestDamagedFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range same {
		whole, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		read := func(data []byte) error {
			p := filepath.Join(dir, name)
			if err := os.WriteFile(p, data, 0o666); err != nil {
				t.Fatal(err)
			}
			f, err := dataset.Open(context.Background(), dataset.Options{Label: "y", Inputs: []string{"f64", "flag"}}, p)
			if err != nil {
				return err
			}
			_, err = f.Scan(context.Background(), nil)
			return err
		}
		if err := read(whole); err != nil {
			t.Fatal(err)
		}
		for cut := 8; cut < len(whole)-8; cut += len(whole)/40 + 1 {
			if err := read(whole[:cut]); err == nil && name != "js.arrows" { // a stream may end anywhere between messages
				t.Errorf("%s: cut at %d: no error", name, cut)
			}
			changed := slices.Clone(whole)
			for k := range min(16, len(whole)-cut) {
				changed[cut+k] ^= 0x5a
			}
			read(changed) // no panic, and no endless loop; the change may be to another column
		}
	}
}

func TestRefusals(t *testing.T) {
	whole, err := os.ReadFile("testdata/rust-snappy.parquet")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dataset.OpenReader(context.Background(), dataset.Options{}, "in", bytes.NewReader(whole)); err == nil || !strings.Contains(err.Error(), "from disk") {
		t.Errorf("a stream: %v", err)
	}
	// The file says that its column f64 is compressed with Brotli (4, in zigzag 8), not Snappy.
	path := filepath.Join(t.TempDir(), "brotli.parquet")
	if err := os.WriteFile(path, bytes.ReplaceAll(whole, []byte("f64\x15\x02"), []byte("f64\x15\x08")), 0o666); err != nil {
		t.Fatal(err)
	}
	if f, err := dataset.Open(context.Background(), dataset.Options{Label: "i32", Inputs: []string{"f64"}}, path); err != nil {
		t.Error(err)
	} else if _, err := f.Table(context.Background()); err == nil || !strings.Contains(err.Error(), "import github.com/rffgo/rff/dataset/brotli") || strings.Contains(err.Error(), "damaged") {
		t.Errorf("Brotli without its decoder: %v", err)
	}
	var narrow dataset.Options
	hook.ReadingOf(&narrow).MaxColumns = 3
	for name, o := range map[string]dataset.Options{
		"no such column": {Label: "nowhere"},
		"two limits":     narrow,
		"no category":    {Label: "y", Inputs: []string{"f64"}, Categories: []string{"proto"}},
	} {
		if _, err := dataset.Open(context.Background(), o, "testdata/rust-snappy.parquet"); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// What a fit for numbers or for times without a zone finds instead is named as it is meant, with
// a remedy that its caller has.
func TestOtherKindsThanThoseOfTheFit(t *testing.T) {
	zone := []rff.Column{{Name: "when", Time: &rff.Time{Zone: true}}}
	for name, c := range map[string]struct {
		o          dataset.Options
		has, lacks string
	}{
		"weights of text":   {dataset.Options{Inputs: []string{"f64"}, Label: "y", Weights: "proto"}, "write it as one", "Categories"},
		"text for numbers":  {dataset.Options{Schema: &rff.Schema{Inputs: []rff.Column{{Name: "proto"}}}, Task: dataset.Unlabelled}, "write it as one", "Categories"},
		"local, not in UTC": {dataset.Options{Schema: &rff.Schema{Inputs: zone}, Task: dataset.Unlabelled}, `"2001-09-09 01:46:40" has no time zone`, "e+"},
	} {
		var err error
		for _, e := range open(t, c.o, "rust-zstd.parquet").Rows(context.Background()) {
			err = e
		}
		var bad *dataset.ParseError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), c.has) || strings.Contains(err.Error(), c.lacks) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// BenchmarkRows reads the same rows as gzipped CSV and as Parquet.
// Doubles with gaps, in runs and one by one, across pages and batches, are where they were.
func TestGaps(t *testing.T) {
	const n = 40_000
	random := rand.New(rand.NewPCG(3, 4))
	columns := []parquet.Column{{Name: "none"}, {Name: "some"}, {Name: "most"}, {Name: "runs"}, {Name: "y"}}
	var table bytes.Buffer
	w, err := parquet.NewWriter(&table, columns)
	if err != nil {
		t.Fatal(err)
	}
	missing := func(i, j int) bool {
		h := (i*7919 + j*104729) % 1000
		return j == 1 && h < 30 || j == 2 && h > 20 || j == 3 && i/700%2 == 1
	}
	values := make([]float64, 0, 4*n)
	for i := range n {
		for j := range 4 {
			v := random.NormFloat64()
			if missing(i, j) {
				v = math.NaN()
				w.Null()
			} else {
				w.Number(v)
			}
			values = append(values, v)
		}
		w.Number(float64(i))
		if err := w.EndRow(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "gaps.parquet")
	if err := os.WriteFile(path, table.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, column := range []int{0, 1, 2, 3} {
		f, err := dataset.Open(t.Context(), dataset.Options{Label: "y", Inputs: []string{columns[column].Name}, Missing: rff.MissingDrop}, path)
		if err != nil {
			t.Fatal(err)
		}
		i := 0
		for row, err := range f.Rows(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			for missing(i, column) {
				i++
			}
			if row.X[0] != values[4*i+column] || row.Label() != fmt.Sprint(i) {
				t.Fatalf("%s: row %d is %v with label %v, want %v", columns[column].Name, i, row.X[0], row.Label(), values[4*i+column])
			}
			i++
		}
		for i < n && missing(i, column) {
			i++
		}
		if i != n {
			t.Errorf("%s: %d rows of %d", columns[column].Name, i, n)
		}
	}
}

func BenchmarkRows(b *testing.B) {
	const n, d = 100_000, 20
	var text, table bytes.Buffer
	z := gzip.NewWriter(&text)
	columns := make([]parquet.Column, d+1)
	for j := range columns {
		columns[j].Name = string(rune('a' + j))
		fmt.Fprintf(z, "%s%s", strings.Repeat(",", min(j, 1)), columns[j].Name)
	}
	w, err := parquet.NewWriter(&table, columns)
	if err != nil {
		b.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range n {
		fmt.Fprintln(z)
		for j := range columns {
			v := math.Round(random.NormFloat64()*1e4) / 1e4
			fmt.Fprintf(z, "%s%v", strings.Repeat(",", min(j, 1)), v)
			w.Number(v)
		}
		if err := w.EndRow(); err != nil {
			b.Fatal(err)
		}
	}
	z.Close()
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	for name, data := range map[string][]byte{"rows.csv.gz": text.Bytes(), "rows.parquet": table.Bytes()} {
		path := filepath.Join(b.TempDir(), name)
		if err := os.WriteFile(path, data, 0o666); err != nil {
			b.Fatal(err)
		}
		b.Run("file="+name, func(b *testing.B) {
			for range b.N {
				f, err := dataset.Open(context.Background(), dataset.Options{}, path)
				if err != nil {
					b.Fatal(err)
				}
				rows := 0
				for _, err := range f.Rows(context.Background()) {
					if err != nil {
						b.Fatal(err)
					}
					rows++
				}
				b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
			}
			b.ReportMetric(float64(len(data))/n, "bytes/row")
		})
	}
}

// Times become the days since 1970 and the parts that come again, in every format, as the
// same times in text do.
func TestTimesOfColumns(t *testing.T) {
	for _, name := range []string{"py-snappy.parquet", "pl-zstd.parquet", "py-stream.arrows", "py.feather"} {
		f := open(t, dataset.Options{Label: "kind", Inputs: []string{"when"}}, name)
		if got := fmt.Sprint(f.Schema().InputNames()); got != "[when when:hour]" {
			t.Fatalf("%s: %s", name, got)
		}
		x, _ := rows(t, f)
		for i, v := range x {
			if hours := 20454*24 + i; v[0] != float64(3600*hours)/86400 || v[1] != float64(i%24) {
				t.Errorf("%s: row %d: %v", name, i+1, v)
			}
		}
		s := f.Schema()
		e, err := s.Encoder()
		if err != nil {
			t.Fatal(err)
		}
		text := make([]float64, 2)
		if err := e(text, []string{"2026-01-02 01:00:00"}); err != nil || !slices.Equal(text, x[25]) {
			t.Errorf("%s: of text %v, %v, of the file %v", name, text, err, x[25])
		}
	}
	for _, name := range []string{"js.arrow", "rust-zstd.parquet"} { // 1,000 s later each
		x, _ := rows(t, open(t, dataset.Options{Label: "y", Inputs: []string{"when"}}, name))
		for i, v := range x {
			if v[0] != float64(1_000_000_000+1000*i)/86400 {
				t.Errorf("%s: row %d: %v", name, i+1, v)
			}
		}
	}
}

// Nanoseconds are the same inputs as the text of the same time, of which digits after the sixth
// have no say. Float64 holds nanoseconds of today to 256 of them.
func TestNanoseconds(t *testing.T) {
	text := []string{"2023-11-14 22:13:20.123456789", "1969-12-31 23:59:59.999999001", "1970-01-01 00:00:00.000000001", "1969-12-31 23:59:59.999999999", "2023-11-14 22:13:20.000001"}
	for _, name := range []string{"nanos/py.parquet", "nanos/py.arrow"} {
		f := open(t, dataset.Options{Label: "y", Inputs: []string{"when"}, Task: dataset.Regression}, name)
		s := f.Schema()
		e, err := s.Encoder()
		if err != nil || len(s.InputNames()) < 2 {
			t.Fatal(err, s.InputNames())
		}
		x, _ := rows(t, f)
		for i, v := range x {
			want := make([]float64, len(v))
			if err := e(want, []string{text[i]}); err != nil || !slices.Equal(v, want) {
				t.Errorf("%s: %s is %v, %v, and %v of text", name, text[i], v, err, want)
			}
		}
	}
}
