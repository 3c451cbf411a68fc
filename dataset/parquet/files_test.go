package parquet

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rffgo/rff/internal/columnar"
)

// openBytes opens a file of either format.
func openBytes(data []byte) (columnar.File, error) {
	f, ok := columnar.Of(data)
	if !ok {
		return nil, fmt.Errorf("no format begins with %q", data[:min(8, len(data))])
	}
	return f.Open(bytes.NewReader(data), int64(len(data)))
}

// readAll calls visit for each value of the columns that are not refused.
func readAll(data []byte, visit func(column columnar.Column, row int, v *columnar.Values, i int)) (rows int, err error) {
	f, err := openBytes(data)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var want []int
	for i, c := range f.Columns() {
		if c.Kind != columnar.Refused {
			want = append(want, i)
		}
	}
	if len(want) == 0 {
		return 0, nil
	}
	f.Rows(context.Background(), want)
	for {
		b, err := f.Next()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		for k, c := range want {
			for i := range b.Rows {
				if visit != nil {
					visit(f.Columns()[c], rows+i, &b.Columns[k], i)
				}
			}
		}
		if rows += b.Rows; rows > 1<<22 {
			return rows, nil
		}
	}
}

// wanted is the value of a row that testdata/generate.py has written: a number, a word,
// or nil for a missing one.
func wanted(column string, i int) any {
	d := float64(i - 50)
	gap := func(v any) any {
		if i%7 == 3 {
			return nil
		}
		return v
	}
	switch column {
	case "i8":
		return d
	case "i16":
		return 300 * d
	case "i32":
		return d * d * d * d * d
	case "i64":
		return d * d * d * d * d * d * d
	case "u8":
		return 2 * float64(i)
	case "u16":
		return 600 * float64(i)
	case "u32":
		return 40_000_000 * float64(i)
	case "u64":
		return float64(180_000_000_000_000_000 * uint64(i))
	case "f16", "d128":
		return d / 4
	case "f32":
		return d / 8
	case "f64":
		return d / 3
	case "flag":
		if i%3 == 1 {
			return 1.
		}
		return 0.
	case "gap":
		return gap(float64(i) / 3)
	case "gapi":
		return gap(float64(i))
	case "word":
		return fmt.Sprintf("w%d", i%5)
	case "long":
		return fmt.Sprintf("a word of many letters %d", i%4)
	case "gapword":
		return gap(fmt.Sprintf("w%d", i%3))
	case "kind":
		return fmt.Sprintf("k%d", i%3)
	case "when": // an hour later each, from 2026 on, in milliseconds
		return 1767225600000 + 3600000*float64(i)
	}
	return nil
}

// Every value of every type is read as pyarrow and polars have written it, in all
// encodings, compressions and versions.
func TestFilesOfPython(t *testing.T) {
	names, err := filepath.Glob("testdata/p[yl]*.*")
	if err != nil || len(names) < 19 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		if strings.Contains(name, "-deltas") || strings.Contains(name, "-replaced") || strings.Contains(name, "-many") {
			continue
		}
		if strings.Contains(name, "-brotli") { // dataset/brotli has the decoder, and reads it
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		columns := map[string]int{}
		rows, err := readAll(data, func(c columnar.Column, row int, v *columnar.Values, i int) {
			columns[c.Name]++
			var got any
			switch {
			case v.Null != nil && v.Null[i]:
			case v.Text != nil:
				got = v.Text[i]
			default:
				got = v.Numbers[i]
			}
			if want := wanted(c.Name, row); got != want {
				t.Errorf("%s: column %s, row %d: %v, want %v", name, c.Name, row, got, want)
			}
		})
		if rows != 100 || err != nil || len(columns) < 17 {
			t.Errorf("%s: %d rows of %d columns, %v", name, rows, len(columns), err)
		}
		f, err := openBytes(data)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range f.Columns() {
			need := map[string]string{"took": "duration", "list": "nested (list)", "pair": "nested (struct)"}[c.Name]
			if (need != "") != (c.Kind == columnar.Refused) || !strings.Contains(c.Need, need) {
				t.Errorf("%s: column %s: %+v", name, c.Name, c)
			}
		}
	}
}

// Compressed blocks that reach into those before them, over many batches.
func TestManyRows(t *testing.T) {
	for _, name := range []string{"py-many-lz4.arrow", "py-many-zstd.arrow", "py-many-lz4.parquet"} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := readAll(data, func(_ columnar.Column, row int, v *columnar.Values, i int) {
			if v.Numbers[i] != float64(row%977)/4 {
				t.Fatalf("%s: row %d: %v", name, row, v.Numbers[i])
			}
		})
		if rows != 70_000 || err != nil {
			t.Errorf("%s: %d rows, %v", name, rows, err)
		}
	}
}

// A stream may add words to a dictionary, or put others in its place.
func TestDictionariesThatChange(t *testing.T) {
	for _, name := range []string{"py-deltas.arrows", "py-replaced.arrows"} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		var numbers, kinds []string
		if _, err := readAll(data, func(c columnar.Column, _ int, v *columnar.Values, i int) {
			if v.Text != nil {
				kinds = append(kinds, v.Text[i])
			} else {
				numbers = append(numbers, fmt.Sprint("k", v.Numbers[i]))
			}
		}); err != nil || len(kinds) < 4 || fmt.Sprint(kinds) != fmt.Sprint(numbers) {
			t.Errorf("%s: %v, %v, %v", name, kinds, numbers, err)
		}
	}
}

// Every number of half precision, against arithmetic of its definition.
func TestFloat16(t *testing.T) {
	for bits := range 1 << 16 {
		sign, exponent, fraction := 1-2*float64(bits>>15), bits>>10&31, float64(bits&1023)/1024
		want := sign * (1 + fraction) * math.Pow(2, float64(exponent-15))
		switch {
		case exponent == 0:
			want = sign * fraction * math.Pow(2, -14)
		case exponent == 31 && fraction == 0:
			want = math.Inf(int(sign))
		case exponent == 31:
			want = math.NaN()
		}
		if got := columnar.Float16(uint16(bits)); got != want && !(got != got && want != want) {
			t.Fatalf("%#x: %g, want %g", bits, got, want)
		}
	}
}

// Decimals have all of their digits where they are words, in every encoding, dictionary and width, and
// also behind missing values.
func TestDigitsOfDecimals(t *testing.T) {
	files, err := filepath.Glob("testdata/p*")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := openBytes(data)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		at := slices.IndexFunc(f.Columns(), func(c columnar.Column) bool { return c.Name == "d128" })
		if at < 0 || strings.Contains(name, "brotli") { // of a package of its own
			continue
		}
		found++
		f.(columnar.Exact).Exact(at)
		f.Rows(t.Context(), []int{at})
		rows := 0
		for {
			b, err := f.Next()
			if err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for i := range b.Rows {
				want := fmt.Sprintf("%.2f", wanted("d128", rows))
				if v := b.Columns[0]; v.Text == nil || v.Text[i] != want {
					t.Fatalf("%s: row %d is not %s", name, rows, want)
				}
				rows++
			}
		}
		if rows < 100 {
			t.Errorf("%s: %d rows", name, rows)
		}
	}
	if found < 8 {
		t.Errorf("%d files with decimals", found)
	}
}
