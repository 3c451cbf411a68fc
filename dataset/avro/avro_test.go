package avro_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/zstd"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/dataset"
	_ "github.com/rffgo/rff/dataset/avro"
	"github.com/rffgo/rff/internal/inside/hook"
)

func open(t *testing.T, o dataset.Options, name string) *dataset.Files {
	t.Helper()
	f, err := dataset.Open(context.Background(), o, name)
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

var written = []string{"testdata/js-null.avro", "testdata/js-deflate.avro"}

func TestFilesOfAnotherLibrary(t *testing.T) {
	for _, name := range written {
		o := dataset.Options{Label: "y", Inputs: []string{"flag", "f64", "f32", "i64", "price", "proto"}, Categories: []string{"proto"}, Missing: rff.MissingNaN}
		f := open(t, o, name)
		if hook.FormatOf(f) != "avro" {
			t.Fatalf("%s: format %s", name, hook.FormatOf(f))
		}
		x, labels := rows(t, f)
		if len(x) != 7 || strings.Join(labels, "") != "abababb" {
			t.Fatalf("%s: %d rows, labels %v", name, len(x), labels)
		}
		nan := math.NaN()
		want := [][]float64{
			{1, 0.5, 0, 1, 123.45, 0, 1, 0}, {0, 1.5, 0.25, 2, -1.23, 0, 0, 1}, {1, 2.5, 0.5, 3, 123.45, 0, 1, 0}, {1, 3.5, 0.75, 4, -1.23, 1, 0, 0},
			{0, 4.5, 1, 5, 123.45, 0, 1, 0}, {0, -5.5, 1.25, 6, -1.23, nan, nan, nan}, {1, 6.5, 1.5, -4503599627370495, 123.45, 0, 0, 1},
		}
		for i := range want {
			for j, v := range want[i] {
				if x[i][j] != v && !(v != v && x[i][j] != x[i][j]) {
					t.Errorf("%s: row %d: %v, want %v", name, i+1, x[i], want[i])
					break
				}
			}
		}
		// What is neither a number nor text is refused by name, once it is used.
		for column, need := range map[string]string{"pair": "nested", "inner": "nested", "either": "union"} {
			_, err := open(t, dataset.Options{Label: "y", Inputs: []string{"f64", column}}, name).Scan(context.Background(), nil)
			var p *dataset.ParseError
			if !errors.As(err, &p) || p.Name != column || !strings.Contains(p.Need, need) {
				t.Errorf("%s: column %s: %v", name, column, err)
			}
		}
		_, err := open(t, dataset.Options{Label: "y", Inputs: []string{"i32"}}, name).Scan(context.Background(), nil)
		var p *dataset.ParseError
		if !errors.As(err, &p) || p.Row != 4 || p.Name != "i32" || !strings.Contains(p.Need, "missing") {
			t.Errorf("%s: a null: %v", name, err)
		}
		o = dataset.Options{Label: "y", Inputs: []string{"i32", "f64"}, Missing: rff.MissingDrop}
		x, labels = rows(t, open(t, o, name))
		if len(x) != 6 || strings.Join(labels, "") != "abaabb" || x[3][0] != 5 {
			t.Errorf("%s: without the row of a null: %v %v", name, x, labels)
		}
	}
}

// What polars wrote, with snappy.
func TestFilesOfPolars(t *testing.T) {
	x, labels := rows(t, open(t, dataset.Options{Label: "y", Missing: rff.MissingDrop}, "testdata/polars.avro"))
	want := [][]float64{{1, 0.5, 1}, {-2, 1.5, 0}, {3, 2.5, 1}, {5, 4.5, 0}, {6, -5.5, 0}, {7, 6.5, 1}}
	if !slices.EqualFunc(x, want, slices.Equal) || strings.Join(labels, "") != "abaabb" {
		t.Errorf("%v %v", x, labels)
	}
}

// long and text encode as the specification has it.
func long(b []byte, v int64) []byte { return binary.AppendVarint(b, v) }

func text(b []byte, s string) []byte { return append(long(b, int64(len(s))), s...) }

// container is a file of that schema, with a block of rows for each of blocks.
func container(schema, codec string, counts []int64, blocks ...[]byte) []byte {
	b := long([]byte("Obj\x01"), 2)
	b = text(text(b, "avro.schema"), schema)
	b = append(text(text(b, "avro.codec"), codec), 0)
	sync := "0123456789abcdef"
	b = append(b, sync...)
	for i, block := range blocks {
		b = append(text(long(b, counts[i]), string(block)), sync...)
	}
	return b
}

func save(t testing.TB, data []byte) string {
	name := filepath.Join(t.TempDir(), "t.avro")
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

const plain = `{"type":"record","name":"R","fields":[{"name":"a","type":"double"},{"name":"b","type":["null","long"]},{"name":"y","type":"string"}]}`

func row(b []byte, a float64, v int64, y string) []byte {
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(a))
	return text(long(long(b, 1), v), y)
}

// Blocks of every codec, of more rows than a batch has.
func TestCodecs(t *testing.T) {
	const n = 10_000
	var block []byte
	for i := range int64(n) {
		block = row(block, float64(i)/7, -i, []string{"u", "v"}[i%2])
	}
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for codec, packed := range map[string][]byte{
		"null":      block,
		"snappy":    binary.BigEndian.AppendUint32(snappy.Encode(nil, block), crc32.ChecksumIEEE(block)),
		"zstandard": z.EncodeAll(block, nil),
	} {
		name := save(t, container(plain, codec, []int64{n, 0, n}, packed, nil, packed))
		if codec != "null" {
			name = save(t, container(plain, codec, []int64{n, n}, packed, packed))
		}
		x, labels := rows(t, open(t, dataset.Options{}, name))
		if len(x) != 2*n {
			t.Fatalf("%s: %d rows", codec, len(x))
		}
		for i := range x {
			if k := i % n; x[i][0] != float64(k)/7 || x[i][1] != -float64(k) || labels[i] != []string{"u", "v"}[k%2] {
				t.Fatalf("%s: row %d: %v %s", codec, i, x[i], labels[i])
			}
		}
	}
	if _, err := dataset.Open(context.Background(), dataset.Options{}, save(t, container(plain, "bzip2", nil))); err == nil || !strings.Contains(err.Error(), "bzip2") {
		t.Errorf("bzip2: %v", err)
	}
}

// Files that are cut, changed, or claim what they do not have, give errors, and take
// no memory for their claims.
func TestDamagedFiles(t *testing.T) {
	read := func(data []byte) error {
		f, err := dataset.Open(context.Background(), dataset.Options{Label: "y", Inputs: []string{"f64", "price"}}, save(t, data))
		if err != nil {
			return err
		}
		_, err = f.Scan(context.Background(), nil)
		return err
	}
	whole, err := os.ReadFile(written[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := read(whole); err != nil {
		t.Fatal(err)
	}
	cuts := 0
	for cut := 4; cut < len(whole); cut += 7 {
		if read(whole[:cut]) == nil {
			cuts++ // between two blocks, which is the end of a file
		}
		changed := slices.Clone(whole)
		for k := range min(5, len(whole)-cut) {
			changed[cut+k] ^= 0x5a
		}
		read(changed) // no panic, and no endless loop
	}
	if cuts > 2 {
		t.Errorf("%d files that were cut were read", cuts)
	}

	// One bit of a block or of the mark after it.
	block := row(row(nil, 1, 2, "u"), 3, 4, "v")
	sum := binary.BigEndian.AppendUint32(snappy.Encode(nil, block), crc32.ChecksumIEEE(block))
	for _, at := range []int{18, 16, 0} { // from the end: in the checksum, in the mark, nowhere
		data := container(plain, "snappy", []int64{2}, sum)
		if at > 0 {
			data[len(data)-at] ^= 1
		}
		f, err := dataset.Open(context.Background(), dataset.Options{}, save(t, data))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Table(context.Background()); (err == nil) != (at == 0) {
			t.Errorf("a bit changed %d bytes before the end: %v", at, err)
		}
	}

	schema := func(kind string) string {
		return fmt.Sprintf(`{"type":"record","name":"R","fields":[{"name":"f64","type":%s},{"name":"price","type":"double"},{"name":"y","type":"string"}]}`, kind)
	}
	huge := long(nil, 1<<40)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for what, data := range map[string][]byte{
		"a header of many":        append(long([]byte("Obj\x01"), math.MaxInt64), 0xff, 0xff),
		"a long key":              append(long([]byte("Obj\x01"), 1), huge...),
		"no schema":               container("", "null", nil),
		"a schema of no record":   container(`"double"`, "null", nil),
		"an unknown type":         container(schema(`"quaternion"`), "null", nil),
		"rows without bytes":      container(`{"type":"record","name":"R","fields":[{"name":"f64","type":"null"},{"name":"price","type":"null"},{"name":"y","type":"null"}]}`, "null", []int64{1 << 60}, nil),
		"a negative number":       container(schema(`"double"`), "null", []int64{-5}, []byte("12345678")),
		"more rows than there":    container(schema(`"double"`), "null", []int64{1 << 40}, bytes.Repeat([]byte{0}, 100)),
		"fewer rows than there":   container(schema(`"double"`), "null", []int64{1}, append(make([]byte, 16), 2, 'a', 0, 0)),
		"an endless array":        container(schema(`{"type":"array","items":"null"}`), "null", []int64{1}, append(long(nil, math.MaxInt64), make([]byte, 30)...)),
		"a branch that is not":    container(schema(`["null","double"]`), "null", []int64{1}, append(long(nil, 7), make([]byte, 30)...)),
		"a symbol that is not":    container(schema(`{"type":"enum","name":"E","symbols":["a"]}`), "null", []int64{1}, append(long(nil, 7), make([]byte, 30)...)),
		"a decimal of many zeros": container(schema(`{"type":"bytes","logicalType":"decimal","precision":4,"scale":2000000000}`), "null", []int64{1}, append([]byte{2, 1}, make([]byte, 30)...)),
		"records without end":     container(schema(`{"type":"record","name":"N","fields":[{"name":"n","type":"N"}]}`), "null", []int64{1}, make([]byte, 30)),
		"deep arrays":             container(schema(strings.Repeat(`{"type":"array","items":`, 500)+`"int"`+strings.Repeat("}", 500)), "null", []int64{1}, make([]byte, 600)),
		"snappy that grows":       container(schema(`"double"`), "snappy", []int64{1}, append(binary.AppendUvarint(nil, 1<<31), 0, 0, 0, 0, 0)),
	} {
		if err := read(data); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	runtime.ReadMemStats(&after)
	if mib := (after.TotalAlloc - before.TotalAlloc) >> 20; mib > 64 {
		t.Errorf("claims have taken %d MiB", mib)
	}
}

// Schemas of very many fields and blocks that unpack to very much are refused, or read in
// batches of few rows.
func TestMemory(t *testing.T) {
	var before, after runtime.MemStats
	fields := func(kind string, n int) string {
		var b strings.Builder
		b.WriteString(`{"type":"record","name":"R","fields":[`)
		for i := range n {
			fmt.Fprintf(&b, `{"name":"c%d","type":%s},`, i, kind)
		}
		return b.String() + `{"name":"y","type":"int"}]}`
	}
	word := strings.Repeat("w", 1<<20)
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	zeros := z.EncodeAll(make([]byte, 200<<20), nil)
	for what, c := range map[string]struct {
		data []byte
		rows int // −1: refused
	}{
		"65,000 of null":   {container(fields(`"null"`, 65_000), "null", []int64{1024}, make([]byte, 1024)), 1024},
		"65,000 of int":    {container(fields(`"int"`, 65_000), "null", []int64{9}, make([]byte, 9*65_001)), 9},
		"a long symbol":    {container(fields(`{"type":"enum","name":"E","symbols":["`+word+`"]}`, 1), "null", []int64{8192}, make([]byte, 2*8192)), 8192},
		"a deep schema":    {container(fields(strings.Repeat(`{"type":"array","items":`, 60)+`"int"`+strings.Repeat("}", 60), 9000), "null", []int64{1}, make([]byte, 9001)), -1},
		"a block of zeros": {container(fields(`"int"`, 3), "zstandard", []int64{50 << 20}, zeros), -1},
	} {
		name := save(t, c.data)
		runtime.ReadMemStats(&before)
		rows := 0
		f, err := dataset.Open(context.Background(), dataset.Options{Label: "y", Inputs: []string{"c0"}, Schema: &rff.Schema{Inputs: []rff.Column{{Name: "c0", Words: []string{"0", word}}}}, Missing: rff.MissingNaN}, name)
		if err == nil {
			for _, e := range f.Rows(context.Background()) {
				if err = e; e == nil {
					rows++
				}
			}
		}
		runtime.ReadMemStats(&after)
		if mib := (after.TotalAlloc - before.TotalAlloc) >> 20; mib > 256 {
			t.Errorf("%s: %d kB take %d MiB", what, len(c.data)>>10, mib)
		}
		if (c.rows >= 0) != (err == nil) || err == nil && rows != c.rows {
			t.Errorf("%s: %d rows, %v", what, rows, err)
		}
	}
}

// All of many columns are read in batches of fewer rows.
func TestMemoryOfManyColumns(t *testing.T) {
	const n = 4000
	var schema strings.Builder
	schema.WriteString(`{"type":"record","name":"R","fields":[`)
	for i := range n {
		fmt.Fprintf(&schema, `{"name":"c%d","type":"null"},`, i)
	}
	name := save(t, container(schema.String()+`{"name":"y","type":"int"}]}`, "null", []int64{8192}, make([]byte, 8192)))
	f := open(t, dataset.Options{Task: dataset.Unlabelled, Missing: rff.MissingNaN}, name)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, err := range f.Rows(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	runtime.ReadMemStats(&after)
	if mib := (after.TotalAlloc - before.TotalAlloc) >> 20; mib > 64 {
		t.Errorf("the first row of %d columns takes %d MiB", n, mib)
	}
}

// A block whose rows end before its bytes is damaged, and a header of many megabytes is
// refused.
func TestEnds(t *testing.T) {
	const schema = `{"type":"record","name":"R",%s"fields":[{"name":"x","type":"int"},{"name":"y","type":"int"}]}`
	for what, c := range map[string]struct {
		data []byte
		want string
	}{
		"two rows, one announced": {container(fmt.Sprintf(schema, ""), "null", []int64{1}, []byte{2, 4, 6, 8}), "damaged"},
		"a long header":           {container(fmt.Sprintf(schema, `"doc":"`+strings.Repeat("d", 5<<20)+`",`), "null", []int64{2}, []byte{2, 4, 6, 8}), "header"},
	} {
		if _, err := dataset.Read(context.Background(), dataset.Options{}, save(t, c.data)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Nanoseconds are whole microseconds, rounded down as the digits of a text are.
func TestNanoseconds(t *testing.T) {
	nanos := []int64{1_700_000_000_123_456_789, -999, 1_700_000_000_000_001_000}
	var block []byte
	for i, v := range nanos {
		block = binary.LittleEndian.AppendUint64(long(block, v), math.Float64bits(float64(i)+.5))
	}
	schema := `{"type":"record","name":"R","fields":[{"name":"when","type":{"type":"long","logicalType":"local-timestamp-nanos"}},{"name":"y","type":"double"}]}`
	f, err := dataset.Open(context.Background(), dataset.Options{Task: dataset.Regression}, save(t, container(schema, "null", []int64{3}, block)))
	if err != nil {
		t.Fatal(err)
	}
	s := f.Schema()
	e, err := s.Encoder()
	if err != nil || len(s.InputNames()) < 2 {
		t.Fatal(err, s.InputNames())
	}
	x, _ := rows(t, f)
	for i, text := range []string{"2023-11-14 22:13:20.123456789", "1969-12-31 23:59:59.999999001", "2023-11-14 22:13:20.000001"} {
		want := make([]float64, len(x[i]))
		if err := e(want, []string{text}); err != nil || !slices.Equal(x[i], want) {
			t.Errorf("%s is %v, %v, and %v of text", text, x[i], err, want)
		}
	}
}

// A first part whose columns have the type of nulls does not make numbers of the words of others.
func TestColumnsWithoutType(t *testing.T) {
	none := save(t, container(`{"type":"record","name":"R","fields":[{"name":"w","type":"null"},{"name":"y","type":"null"}]}`, "null", nil))
	var block []byte
	for i, word := range []string{"b", "a", "b"} {
		block = binary.LittleEndian.AppendUint64(text(block, word), math.Float64bits(float64(i)+.5))
	}
	some := save(t, container(`{"type":"record","name":"R","fields":[{"name":"w","type":"string"},{"name":"y","type":"double"}]}`, "null", []int64{3}, block))
	f, err := dataset.Open(t.Context(), dataset.Options{Task: dataset.Regression}, none, some)
	if err != nil {
		t.Fatal(err)
	}
	if x, _ := rows(t, f); fmt.Sprint(f.Schema().InputNames(), x) != "[w=a w=b] [[0 1] [1 0] [0 1]]" {
		t.Error(f.Schema().InputNames(), x)
	}
}

// A part without rows says nothing of the kinds of columns, whatever types it declares: here a
// number, a time and one that is refused, before and after the words and numbers of a part with rows.
func TestTypesWithoutRows(t *testing.T) {
	record := func(w, v, y string) string {
		return fmt.Sprintf(`{"type":"record","name":"R","fields":[{"name":"w","type":%s},{"name":"v","type":%s},{"name":"y","type":%s}]}`, w, v, y)
	}
	const double, time, array = `"double"`, `{"type":"long","logicalType":"timestamp-micros"}`, `{"type":"array","items":"long"}`
	var block []byte
	for i, word := range []string{"b", "a", "b"} {
		block = text(block, word)
		for _, v := range []float64{float64(i) / 2, float64(i) + .5} {
			block = binary.LittleEndian.AppendUint64(block, math.Float64bits(v))
		}
	}
	some := save(t, container(record(`"string"`, double, double), "null", []int64{3}, block))
	for _, types := range [][3]string{{double, double, double}, {array, time, double}, {time, array, array}} {
		none := save(t, container(record(types[0], types[1], types[2]), "null", nil))
		blank := save(t, container(record(types[0], types[1], types[2]), "null", []int64{0}, nil)) // with a block of no rows
		for _, paths := range [][]string{{none, some}, {blank, none, some}, {some, none, blank}} {
			f, err := dataset.Open(t.Context(), dataset.Options{Task: dataset.Regression}, paths...)
			if err != nil {
				t.Errorf("%v: %v", types, err)
				continue
			}
			table, err := f.Table(t.Context())
			if err != nil {
				t.Errorf("%v: %v", types, err)
				continue
			}
			if got := fmt.Sprint(f.Schema().InputNames(), table.X.Data, table.Y); got != "[w=a w=b v] [0 1 0 1 0 0.5 0 1 1] [0.5 1.5 2.5]" {
				t.Errorf("%v: %s", types, got)
			}
		}
		if _, err := dataset.Read(t.Context(), dataset.Options{}, none); err == nil || !strings.Contains(err.Error(), "no rows") {
			t.Errorf("%v alone: %v", types, err)
		}
	}
}

// Decimals that float64 takes for one are different words, here two account numbers, and a missing one.
func TestDecimalsAsWords(t *testing.T) {
	var block []byte
	for i := range 20 {
		if block = append(block, 2*byte(i%2)); i%2 == 1 { // of a union with null
			block = append(block, 16, 0, 0x20, 0, 0, 0, 0, 0, byte(i%4/2)) // 2⁵³ or the next integer
		}
		block = binary.LittleEndian.AppendUint64(block, math.Float64bits(float64(i)+.5))
	}
	schema := `{"type":"record","name":"R","fields":[{"name":"account","type":["null",{"type":"bytes","logicalType":"decimal","precision":20,"scale":0}]},{"name":"y","type":"double"}]}`
	o := dataset.Options{Task: dataset.Regression, Categories: []string{"account"}, Missing: "drop"}
	f, err := dataset.Open(context.Background(), o, save(t, container(schema, "null", []int64{20}, block)))
	if err != nil {
		t.Fatal(err)
	}
	if words := f.Schema().Inputs[0].Words; !slices.Equal(words, []string{"9007199254740992", "9007199254740993"}) {
		t.Errorf("%q", words)
	}
	x, _ := rows(t, f)
	for i, x := range x {
		if want := []float64{float64(1 - i%2), float64(i % 2)}; !slices.Equal(x, want) {
			t.Errorf("row %d is %v", i, x)
		}
	}
}
