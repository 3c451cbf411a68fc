package dataset

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/look"
)

// numpyArray returns a NumPy file of version with values in the byte order given.
func numpyArray(version byte, descr, shape string, order binary.ByteOrder, values any) []byte {
	h := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", descr, shape)
	var b bytes.Buffer
	b.Write(numpyHeader(version, uint32(len(h)), h))
	binary.Write(&b, order, values)
	return b.Bytes()
}

// Every element type, in either byte order and every version of the header.
func TestNPYTypes(t *testing.T) {
	le, be := binary.LittleEndian, binary.BigEndian
	for _, c := range []struct {
		descr  string
		order  binary.ByteOrder
		values any
		want   []float64
	}{
		{"<f8", le, []float64{1.5, -2, 3, 1e300}, []float64{1.5, -2, 3, 1e300}},
		{">f8", be, []float64{1.5, -2, 3, 1e300}, []float64{1.5, -2, 3, 1e300}},
		{"<f4", le, []float32{1.5, -2, 3, 0.1}, []float64{1.5, -2, 3, float64(float32(0.1))}},
		{">f4", be, []float32{1.5, -2, 3, 0.1}, []float64{1.5, -2, 3, float64(float32(0.1))}},
		{"<i8", le, []int64{1, -2, 1 << 40, 4}, []float64{1, -2, 1 << 40, 4}},
		{">i8", be, []int64{1, -2, 1 << 40, 4}, []float64{1, -2, 1 << 40, 4}},
		{"<u8", le, []uint64{1, 1 << 63, 3, 4}, []float64{1, 1 << 63, 3, 4}},
		{">u8", be, []uint64{1, 1 << 63, 3, 4}, []float64{1, 1 << 63, 3, 4}},
		{"<i4", le, []int32{1, -2, 1 << 30, 4}, []float64{1, -2, 1 << 30, 4}},
		{">i4", be, []int32{1, -2, 1 << 30, 4}, []float64{1, -2, 1 << 30, 4}},
		{"<u4", le, []uint32{1, 1 << 31, 3, 4}, []float64{1, 1 << 31, 3, 4}},
		{">u4", be, []uint32{1, 1 << 31, 3, 4}, []float64{1, 1 << 31, 3, 4}},
		{"<i2", le, []int16{1, -2, 256, 4}, []float64{1, -2, 256, 4}},
		{">i2", be, []int16{1, -2, 256, 4}, []float64{1, -2, 256, 4}},
		{"<u2", le, []uint16{1, 1 << 15, 3, 4}, []float64{1, 1 << 15, 3, 4}},
		{">u2", be, []uint16{1, 1 << 15, 3, 4}, []float64{1, 1 << 15, 3, 4}},
		{"|i1", le, []int8{1, -2, 3, 4}, []float64{1, -2, 3, 4}},
		{"|u1", le, []uint8{1, 254, 3, 4}, []float64{1, 254, 3, 4}},
		{"<f2", le, []uint16{0x3e00, 0xc000, 0x4200, 0x2e66}, []float64{1.5, -2, 3, 0.0999755859375}},
		{">f2", be, []uint16{0x3e00, 0xc000, 0x4200, 0x2e66}, []float64{1.5, -2, 3, 0.0999755859375}},
		{"|b1", le, []uint8{1, 0, 1, 1}, []float64{1, 0, 1, 1}},
	} {
		for version := byte(1); version <= 3; version++ {
			table, err := Read(context.Background(), Options{Task: Unlabelled}, write(t, "t.npy", numpyArray(version, c.descr, "(2, 2)", c.order, c.values)))
			if err != nil || !slices.Equal(table.X.Data, c.want) {
				t.Errorf("%s, version %d: %v, %v", c.descr, version, table, err)
			}
		}
	}
	for name, data := range map[string][]byte{
		"version 4":     numpyHeader(4, 2, "{}"),
		"one value":     numpyShape("<f8", "()"),
		"Fortran":       []byte(strings.Replace(string(numpyShape("<f8", "(2, 2)")), "False", "True ", 1)),
		"no dictionary": numpyHeader(1, 2, "{}"),
		"native order":  numpyShape("=f8", "(2, 2)"),
		"negative":      numpyShape("<f8", "(-2, 2)"),
		"no columns":    numpyShape("<f8", "(2, 0)"),
		"no rows":       numpyShape("<f8", "(0, 2)"),
		"cut":           numpyShape("<f8", "(2, 2)")[:20],
		"too long":      append(npy("<f8", "(1, 2)", []float64{1, 2}), 0),
	} {
		if table, err := Read(context.Background(), Options{Task: Unlabelled}, write(t, "t.npy", data)); err == nil {
			t.Errorf("%s: read as %+v", name, table)
		}
	}
}

// An array of images is not read with a pixel as the label.
func TestThreeDimensions(t *testing.T) {
	data := npy("<f8", "(2, 2, 2)", []float64{1, 2, 3, 4, 5, 6, 7, 8})
	p := write(t, "t.npy", data)
	var parse *ParseError
	if _, err := Open(context.Background(), Options{}, p); !errors.As(err, &parse) || !strings.Contains(err.Error(), "(2, 2, 2)") || !strings.Contains(err.Error(), "4 values") {
		t.Errorf("%v", err)
	}
	if _, err := Open(context.Background(), Options{Label: "4"}, p); err == nil {
		t.Error("a pixel is the label")
	}
	labels := write(t, "labels.txt", []byte("u\nv w\n"))
	for _, o := range []Options{{Task: Unlabelled}, {LabelFile: labels, Header: "no"}} {
		f, err := Open(context.Background(), o, p)
		if err != nil {
			t.Error(err)
			continue
		}
		if n := f.layout.notes; len(n) != 1 || !strings.Contains(n[0], "(2, 2, 2)") || !strings.Contains(n[0], "2 rows of 4 values") {
			t.Errorf("notes %q", n)
		}
		table, err := f.Table(context.Background())
		if err != nil || !slices.Equal(table.X.Row(1), []float64{5, 6, 7, 8}) || o.LabelFile != "" && !slices.Equal(table.Coding.Classes, []string{"u", "v w"}) {
			t.Errorf("%+v, %v", table, err)
		}
	}
}

func TestIDXTypes(t *testing.T) {
	for _, c := range []struct {
		code   byte
		values any
		want   []float64
	}{
		{0x08, []uint8{1, 254, 3, 4}, []float64{1, 254, 3, 4}},
		{0x09, []int8{1, -2, 3, 4}, []float64{1, -2, 3, 4}},
		{0x0b, []int16{1, -2, 256, 4}, []float64{1, -2, 256, 4}},
		{0x0c, []int32{1, -2, 1 << 20, 4}, []float64{1, -2, 1 << 20, 4}},
		{0x0d, []float32{1.5, -2, 3, 4}, []float64{1.5, -2, 3, 4}},
		{0x0e, []float64{1.5, -2, 3, 4}, []float64{1.5, -2, 3, 4}},
	} {
		for _, dims := range [][]uint32{{2, 2}, {1, 2, 2}, {2, 1, 2}} {
			b := []byte{0, 0, c.code, byte(len(dims))}
			for _, d := range dims {
				b = binary.BigEndian.AppendUint32(b, d)
			}
			buf := bytes.NewBuffer(b)
			binary.Write(buf, binary.BigEndian, c.values)
			f, err := Open(context.Background(), Options{Task: Unlabelled}, write(t, "t", buf.Bytes()))
			if err != nil || len(f.layout.notes) > 0 {
				t.Errorf("%x: %v", c.code, err)
				continue
			}
			table, err := f.Table(context.Background())
			if err != nil || !slices.Equal(table.X.Data, c.want) || table.Len() != int(dims[0]) {
				t.Errorf("%x: %+v, %v", c.code, table, err)
			}
		}
	}
	for name, data := range map[string][]byte{
		"no values": {0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 0},
		"no rows":   {0, 0, 8, 2, 0, 0, 0, 0, 0, 0, 0, 2},
		"cut":       {0, 0, 8, 2, 0, 0, 0},
		"no type":   {0, 0, 7, 1, 0, 0, 0, 1, 1},
		"no start":  {1, 0, 8, 1, 0, 0, 0, 1, 1},
	} {
		if _, err := Read(context.Background(), Options{Task: Unlabelled, Format: "idx"}, write(t, "t", data)); err == nil {
			t.Errorf("%s is read", name)
		}
	}
}

// LIBSVM rows are told by the first line that has more than a label.
func TestLooksLIBSVM(t *testing.T) {
	for text, want := range map[string]bool{
		"1 1:2\n": true, "-1 3:4 7:1\n": true, "cat 1:2\n": true, "1 qid:3 1:2\n": true, "1,2 3:4\n": true,
		"# made by hand\n\n1 1:2\n": true, "0\n1 1:2\n": true, "1 1:2": true, "1 1:-1e-3": true,
		"1,2\n": false, "a b\n": false, "1 2 3\n": false, "1:2 3:4\n": false, "cat\n1 1:2\n": false,
		"time 12:30\n": true, "a,b 1:2\n": false, "1 x:2\n": false, "1 1:x\n": false, "1 :2\n": false, "": false, "1;2 3:4\n": false, "1 +1:2\n": false,
	} {
		if got := looksLIBSVM([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// Compressed files read as what they hold.
func TestCompressed(t *testing.T) {
	for name, data := range map[string][]byte{"gzip": gzipped([]byte("\xef\xbb\xbfa,b,y\n1,2,u\n3,4,v\n")), "bzip2": unhex(smallBzip2)} {
		table, err := Read(context.Background(), Options{}, write(t, "t", data))
		if err != nil || !slices.Equal(table.X.Data, []float64{1, 2, 3, 4}) || table.Inputs[0] != "a" {
			t.Errorf("%s: %+v, %v", name, table, err)
		}
	}
	for name, data := range map[string][]byte{"bzip2": unhex("425a683917724538509000000000"), "mark": []byte("\xef\xbb\xbf"), "gzipped mark": gzipped([]byte("\xef\xbb\xbf"))} {
		if _, err := Open(context.Background(), Options{}, write(t, "t", data)); err == nil || !strings.Contains(err.Error(), "empty") {
			t.Errorf("%s of nothing: %v", name, err)
		}
	}
}

// A reader is read once.
func TestOpenReader(t *testing.T) {
	ctx := context.Background()
	for name, pass := range map[string]func(*Files) error{
		"scan":  func(f *Files) error { _, err := f.Scan(ctx, nil); return err },
		"table": func(f *Files) error { _, err := f.Table(ctx); return err },
		"source": func(f *Files) error {
			var err error
			for _, e := range f.Source(NewCoding([]string{"u", "v"}), 0).Batches(ctx) {
				err = e
			}
			return err
		},
	} {
		f, err := OpenReader(context.Background(), Options{}, "standard input", io.MultiReader(strings.NewReader("a,y\n1,u\n"), strings.NewReader("2,v\n")))
		if err != nil {
			t.Fatal(err)
		}
		if f.first == nil || f.layout.width != 1 || f.layout.target != "y" || f.layout.paths[0] != "standard input" {
			t.Errorf("%+v", f)
		}
		if err := pass(f); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var once *ReadError
		if err := pass(f); !errors.As(err, &once) || once.File != "standard input" || !strings.Contains(err.Error(), "standard input") {
			t.Errorf("%s again: %v", name, err)
		}
	}
	f, err := OpenReader(context.Background(), Options{Width: 2}, "in", strings.NewReader("1 2:3\n0 1:4\n"))
	if err != nil {
		t.Fatal(err)
	}
	table, err := f.Table(ctx)
	if err != nil || !slices.Equal(table.X.Data, []float64{0, 3, 4, 0}) {
		t.Errorf("%+v, %v", table, err)
	}
	// Labels apart come from the disk, and errors of reading come through.
	labels := write(t, "labels", []byte("u\nv\n"))
	f, err = OpenReader(context.Background(), Options{LabelFile: labels, Header: "no"}, "in", strings.NewReader("1\n2\n"))
	if err != nil {
		t.Fatal(err)
	}
	if table, err = f.Table(ctx); err != nil || table.Label(1) != "v" {
		t.Errorf("%+v, %v", table, err)
	}
	broken := errors.New("broken")
	f, err = OpenReader(context.Background(), Options{}, "in", io.MultiReader(strings.NewReader("1,2\n"+strings.Repeat("3,4\n", 100000)), failing{broken}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err = f.Table(ctx); !errors.Is(err, broken) || !strings.Contains(err.Error(), "in: after row") {
		t.Errorf("%v", err)
	}
	if _, err := OpenReader(context.Background(), Options{}, "in", strings.NewReader("")); err == nil || strings.Contains(err.Error(), "file is empty") {
		t.Errorf("%v", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestFS(t *testing.T) {
	ctx := context.Background()
	fsys := fstest.MapFS{
		"d/a.csv":               {Data: []byte("a,y\n1,u\n")},
		"d/b.csv":               {Data: []byte("a,y\n2,v\n")},
		"t-images-idx3-ubyte":   {Data: []byte{0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2, 3, 4}},
		"t-labels-idx1-ubyte":   {Data: []byte{0, 0, 8, 1, 0, 0, 0, 2, 7, 9}},
		"sparse":                {Data: []byte("1 1:2\n2 5:3\n")},
		"alone-images-idx3-xyz": {Data: []byte{0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2, 3, 4}},
	}
	f, err := Open(ctx, Options{FS: fsys}, "d/a.csv", "d/b.csv")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if table, err := f.Table(ctx); err != nil || !slices.Equal(table.X.Data, []float64{1, 2}) {
			t.Errorf("%+v, %v", table, err)
		}
	}
	if f, err = Open(ctx, Options{FS: fsys}, "t-images-idx3-ubyte"); err != nil {
		t.Fatal(err)
	}
	if table, err := f.Table(ctx); err != nil || !reflect.DeepEqual(table.Coding.Classes, []string{"7", "9"}) {
		t.Errorf("%+v, %v", table, err)
	}
	if f, err = Open(ctx, Options{FS: fsys}, "sparse"); err != nil || f.layout.width != 5 {
		t.Errorf("%v", err)
	}
	for path, want := range map[string]error{"no.csv": os.ErrNotExist, "d": errFolder} {
		if _, err := Open(ctx, Options{FS: fsys}, path); !errors.Is(err, want) || !strings.HasPrefix(err.Error(), path+": ") || strings.Contains(err.Error(), "open") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err = Open(ctx, Options{FS: fsys}, "alone-images-idx3-xyz"); err == nil {
		t.Error("images without labels")
	}
}

// A wide file comes in smaller batches, with all its rows in order.
func TestWideBatches(t *testing.T) {
	const width, rows = 3000, 1000
	b := numpyArray(1, "|u1", fmt.Sprintf("(%d, %d)", rows, width), binary.LittleEndian, []byte{})
	for i := range rows {
		row := make([]byte, width)
		row[0], row[width-1] = byte(i), byte(i>>8)
		b = append(b, row...)
	}
	f, err := Open(context.Background(), Options{Task: Unlabelled}, write(t, "t.npy", b))
	if err != nil {
		t.Fatal(err)
	}
	table, err := f.Table(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for name, src := range map[string]rff.Source{"files": f.Source(Coding{}, 0), "table": table.Source()} {
		at, most := 0, 0
		for b, err := range src.Batches(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			if b.First != int64(at) || b.Y.Cols != 0 || b.Weight != nil || b.Group != nil {
				t.Fatalf("%s: %d, %d targets", name, b.First, b.Y.Cols)
			}
			for i := range b.X.Rows {
				if r := b.X.Row(i); int(r[0])+int(r[width-1])<<8 != at {
					t.Fatalf("%s: row %d is %v, %v", name, at, r[0], r[width-1])
				}
				at++
			}
			most = max(most, b.X.Rows)
		}
		if at != rows || most != batchValues/width {
			t.Errorf("%s: %d rows, at most %d at once", name, at, most)
		}
	}
}

// Each row is as likely as any other to be in the sample, which is bounded. Of
// n rows m are drawn: the mean index is (n−1)/2 with variance about
// (n²/12)/m·(1−m/n), and each tenth has m/10 rows with variance below that of a
// binomial.
func TestSampleIsUniform(t *testing.T) {
	const n = 40000
	b := numpyArray(1, "<i4", fmt.Sprintf("(%d, 2)", n), binary.LittleEndian, []byte{})
	for i := range n {
		b = binary.LittleEndian.AppendUint32(b, uint32(i))
		b = binary.LittleEndian.AppendUint32(b, uint32(i%3))
	}
	f, err := Open(context.Background(), Options{}, write(t, "t.npy", b))
	if err != nil {
		t.Fatal(err)
	}
	s, err := f.Scan(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	const m = look.MostRows
	if s.Sample.Len() != m || s.Rows != n || s.Counts["1"] != n/3 {
		t.Fatalf("%d of %d rows, counts %v", s.Sample.Len(), s.Rows, s.Counts)
	}
	var sum float64
	tenths, seen := make([]float64, 10), map[float64]bool{}
	for i := range m {
		v := s.Sample.X.Row(i)[0]
		if seen[v] || s.Sample.Y[i] != float64(int(v)%3) {
			t.Fatalf("row %v twice, or with the label %v", v, s.Sample.Y[i])
		}
		seen[v] = true
		sum += v
		tenths[int(v)*10/n]++
	}
	se := n / math.Sqrt(12*m) * math.Sqrt(1-float64(m)/n)
	if mean := sum / m; math.Abs(mean-(n-1)/2.0) > 5*se {
		t.Errorf("mean index %v, want %v ± %v", mean, (n-1)/2.0, se)
	}
	for k, got := range tenths {
		if math.Abs(got-m/10) > 5*math.Sqrt(m*0.1*0.9) {
			t.Errorf("tenth %d has %v rows, want %d", k, got, m/10)
		}
	}
}

// A sample of wide rows keeps to its bound, and every row in it is one of the
// file's.
func TestSampleIsBounded(t *testing.T) {
	const width, rows = 1 << 16, 200
	f, err := Open(context.Background(), Options{Width: width}, write(t, "t.svm", []byte(strings.Repeat("1 65536:7\n0 1:5\n", rows/2))))
	if err != nil {
		t.Fatal(err)
	}
	s, err := f.Scan(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if s.Sample.Len() != look.MostValues/width {
		t.Errorf("%d rows in the sample, want %d", s.Sample.Len(), look.MostValues/width)
	}
	for i := range s.Sample.Len() {
		if r := s.Sample.X.Row(i); s.Sample.Y[i] == 1 && (r[width-1] != 7 || r[0] != 0) || s.Sample.Y[i] == 0 && (r[0] != 5 || r[width-1] != 0) {
			t.Errorf("row %d: %v … %v with label %v", i, r[0], r[width-1], s.Sample.Y[i])
		}
	}
}

// Where a field is: rows, lines and columns of messages and of Rows.
func TestPlaces(t *testing.T) {
	f, err := Open(context.Background(), Options{}, write(t, "t.csv", []byte("\"a\nb\",y\n\n1,\"u\nv\"\n2,w\n")))
	if err != nil {
		t.Fatal(err)
	}
	var got []Place
	for row, err := range f.Rows(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		if row.Place.File != f.layout.paths[0] {
			t.Errorf("%+v", row.Place)
		}
		row.Place.File = ""
		got = append(got, row.Place)
	}
	if !reflect.DeepEqual(got, []Place{{"", 1, 5}, {"", 2, 6}}) || f.layout.inputs[0] != "a\nb" {
		t.Errorf("%v, inputs %q", got, f.layout.inputs)
	}
	f, err = Open(context.Background(), Options{}, write(t, "t.svm", []byte("# c\n1 1:2\n\n2 1:3\n")))
	if err != nil {
		t.Fatal(err)
	}
	got = nil
	for row := range f.Rows(context.Background()) {
		row.Place.File = ""
		got = append(got, row.Place)
	}
	if !reflect.DeepEqual(got, []Place{{"", 1, 2}, {"", 2, 4}}) {
		t.Errorf("%v", got)
	}
}

// Lines longer than the buffer, within and without quotes, and at its ends.
func TestLongLines(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{bufferSize - 6, bufferSize - 5, bufferSize - 4, bufferSize - 3, bufferSize, 2*bufferSize + 7, 3 * bufferSize} {
		long := bytes.Repeat([]byte("x"), n)
		for i := range 20 {
			long[rng.IntN(n)] = "\n,\""[i%3]
		}
		field := strings.ReplaceAll(string(long), `"`, `""`)
		csv := "a,text,y\n1,\"" + field + "\",u\n2,short,v\n3,\"" + field + "\",u\n"
		table, err := Read(context.Background(), Options{Inputs: []string{"a"}}, write(t, "t.csv", []byte(csv)))
		if err != nil || !slices.Equal(table.X.Data, []float64{1, 2, 3}) || !slices.Equal(table.Y, []float64{0, 1, 0}) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

// Blanks within quotes are part of a field, those between fields are not.
func TestBlanks(t *testing.T) {
	for text, want := range map[string]string{
		`1  2`: `1 2`, ` 1	 2 `: `1 2`, `"a  b"   "c  d" `: `"a  b" "c  d"`,
		`"u ""  v"  1`: `"u ""  v" 1`, `"""  "  2`: `"""  " 2`, `5"  6"  7`: `5" 6" 7`, `""  ""  x`: `"" "" x`, ``: ``,
	} {
		if got := (&csvReader{comma: ' '}).squeeze([]byte(text)); string(got) != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if got := (&csvReader{comma: ','}).squeeze([]byte(text)); string(got) != text {
			t.Errorf("%q with commas: %q", text, got)
		}
	}
}

// quoteOpen agrees with a reading byte by byte.
func TestQuoteOpen(t *testing.T) {
	slow := func(line string, open bool) bool {
		start := !open
		for i := 0; i < len(line); i++ {
			switch c := line[i]; {
			case open && c == '"' && i+1 < len(line) && line[i+1] == '"':
				i++
			case open && c == '"':
				open, start = false, false
			case open:
			case c == '"' && start:
				open, start = true, false
			default:
				start = c == ',' || start && (c == ' ' || c == '\t')
			}
		}
		return open
	}
	rng := rand.New(rand.NewPCG(2, 2))
	for range 20000 {
		b := make([]byte, rng.IntN(12))
		for i := range b {
			b[i] = "\",x \t"[rng.IntN(5)]
		}
		for _, open := range []bool{false, true} {
			if got, want := quoteOpen(b, ",", open), slow(string(b), open); got != want {
				t.Fatalf("%q, open %v: %v", b, open, got)
			}
		}
	}
}
