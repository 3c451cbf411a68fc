package looks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/cells"
	"github.com/rffgo/rff/internal/look"
)

// Mean and deviation are those of exact sums, rounded once, for numbers of all sizes, in any
// order, and also after a file.
func TestMomentsAreExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, draw := range map[string]func() float64{
		"normal":     r.NormFloat64,
		"far away":   func() float64 { return 1e9 + r.Float64() },
		"sizes":      func() float64 { return math.Ldexp(r.Float64()-0.5, r.IntN(2040)-1020) },
		"tiny":       func() float64 { return math.Float64frombits(r.Uint64N(1 << 53)) },
		"largest":    func() float64 { return math.MaxFloat64 * float64(r.IntN(3)-1) },
		"few values": func() float64 { return float64(r.IntN(3)) },
	} {
		var a, b, all look.Moments
		sum, squares := new(big.Rat), new(big.Rat)
		var values []float64
		for range 300 {
			v := draw()
			values = append(values, v)
			x := new(big.Rat).SetFloat64(v)
			sum.Add(sum, x)
			squares.Add(squares, x.Mul(x, x))
			all.Add(v)
		}
		r.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
		for i, v := range values {
			if i%3 == 0 {
				a.Add(v)
			} else {
				b.Add(v)
			}
		}
		mergeMoments(&a, &b)
		text, err := json.Marshal(moments(a))
		if err != nil {
			t.Fatal(err)
		}
		var read look.Moments
		if err := json.Unmarshal(text, (*moments)(&read)); err != nil {
			t.Fatal(err)
		}
		n := big.NewRat(int64(len(values)), 1)
		mean, _ := new(big.Rat).Quo(sum, n).Float64()
		variance := new(big.Rat).Sub(squares.Quo(squares, n), sum.Mul(sum.Quo(sum, n), sum))
		f := new(big.Float).SetPrec(400).SetRat(variance)
		std, _ := f.Sqrt(f).Float64()
		for what, m := range map[string]look.Moments{"in order": all, "merged": a, "read": read} {
			if m.Mean() != mean || m.Std(300) != std || m.Min != slices.Min(values) || m.Max != slices.Max(values) || m.N != 300 {
				t.Errorf("%s, %s: mean %v, want %v; deviation %v, want %v", name, what, m.Mean(), mean, m.Std(300), std)
			}
		}
	}
	var none look.Moments
	if none.Mean() != 0 || none.Std(3) != 0 {
		t.Error("no values have a mean")
	}
}

// part returns a look at these rows of one input, of a file.
func part(file string, values ...float64) *look.Look {
	l := look.New(rff.Schema{Inputs: rff.Columns("a")})
	for i, v := range values {
		l.Add(&look.Row{X: []float64{v}, Label: look.Label{Text: []byte("u")}, Weight: 1, File: file, Number: int64(i + 1)}, false)
	}
	return l
}

// A sample of more rows than it holds has those of the smallest hashes, in every order and
// of all parts; a row that is there often does not fill it.
func TestSampleOfRepeats(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var values []float64
	for i := range 3 * look.MostRows {
		values = append(values, float64(i%(2*look.MostRows)))
	}
	often := part("0", 0.5)
	often.Sample.Rows[0].Count = 1 << 40
	var first string
	for seed := range 3 {
		r.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
		cut := 1000 + seed*11_000
		l := part("a", values[:cut]...)
		if err := Merge(l, part("b", values[cut:]...)); err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, row := range l.Sample.Drawn() {
			text += fmt.Sprintln(row.X, row.Label, row.Count)
		}
		if first == "" {
			first = text
		}
		if text != first || l.Rows != 3*look.MostRows {
			t.Errorf("another order gives another sample")
		}
		if err := Merge(l, often); err != nil {
			t.Fatal(err)
		}
		if n := len(l.Sample.Drawn()); n > 2*look.MostRows {
			t.Errorf("%d rows", n)
		}
		often = part("0", 0.5)
	}
}

// A label is the number that it says: rows that differ by its digits alone are one row of the
// sample, in any order, with the label of the first place.
func TestSampleOfNumbers(t *testing.T) {
	for _, order := range [][]int{{1, 2, 3, 4}, {4, 3, 2, 1}, {3, 1, 4, 2}} {
		l := look.New(rff.Schema{Inputs: rff.Columns("a")})
		for _, i := range order {
			text := []string{"1", "1.0"}[i%2]
			l.Add(&look.Row{X: []float64{7}, Label: look.Label{Text: []byte(text), Value: 1, Number: true}, Weight: 1, File: "a", Number: int64(i)}, false)
		}
		if rows := l.Sample.Rows; len(rows) != 1 || rows[0].Count != 4 || rows[0].Label != "1.0" || rows[0].Number != 1 {
			t.Errorf("in the order %v: %+v", order, rows)
		}
	}
}

// Labels are counted as long as they can be classes, and then no more, whatever the parts.
func TestManyLabels(t *testing.T) {
	labels := func(from, to int) *look.Look {
		l := part(fmt.Sprint(from), float64(from))
		for i := from; i < to; i++ {
			l.Labels.Counts[fmt.Sprint(i)] = 1
		}
		return l
	}
	for _, c := range []struct{ most, counted int }{{4096, 4096}, {4097, 0}} {
		l := labels(0, 3000)
		if err := Merge(l, labels(2000, c.most)); err != nil {
			t.Fatal(err)
		}
		if len(l.Labels.Counts) != c.counted || l.Labels.More != (c.counted == 0) || c.counted > 0 && l.Labels.Counts["2500"] != 2 {
			t.Errorf("of %d labels %d are counted, more: %v", c.most, len(l.Labels.Counts), l.Labels.More)
		}
	}
}

// ofColumns returns a look at columns alone.
func ofColumns(s rff.Schema, c []look.Column) *look.Look {
	return &look.Look{Schema: s, Columns: c, Labels: look.NewLabels(), Sample: look.Sample{Most: 1}}
}

// Parts whose dates were taken in different orders do not merge.
func TestOrdersOfDates(t *testing.T) {
	columns := func(order string) *look.Look {
		census := cells.NewCensus(nil)
		census.Order = order
		return ofColumns(rff.Schema{Inputs: rff.Columns("a")}, []look.Column{{Name: "a", Census: census}})
	}
	if err := Merge(columns("dmy"), columns("dmy")); err != nil {
		t.Error(err)
	}
	if err := Merge(columns("dmy"), columns("mdy")); err == nil || !strings.Contains(err.Error(), "--date-order") {
		t.Errorf("%v", err)
	}
}

// What cannot be merged or read is refused in words.
func TestRefusals(t *testing.T) {
	a := part("a", 1, 2, 3)
	if err := Merge(a, part("b", 2, 7)); err != nil {
		t.Fatal(err)
	}
	other := part("c", 1)
	other.Schema.Inputs = rff.Columns("b")
	weighted := part("c", 1)
	weighted.Weighted = true
	for what, m := range map[string]*look.Look{"comes twice": part("b", 2, 7), `must be "a"`: other, "weights": weighted, "rff look --columns": ofColumns(a.Schema, []look.Column{{Name: "a"}})} {
		if err := Merge(a, m); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%v, want %s", err, what)
		}
	}
	var b bytes.Buffer
	if _, err := (File{a}).WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if _, err := Read(strings.NewReader(text + text)); err == nil {
		t.Error("of two looks in a file one is read")
	}
	for from, to := range map[string]string{
		`"n":5`: `"n":0`, `"min":1`: `"min":8`, `{"at":127,"sum":`: `{"at":127,"sum":9`, `"counts":[1`: `"counts":[4611686018427387904`,
		`"rff look 2"`: `"rff look 1"`, `"rows":5`: `"rows":-1`, `"most":10000`: `"most":3`, `"x":"`: `"x":"AAAA`, `"counts":[`: `"counts":[1,`, `"at":`: `"at":9`, `"sum":`: `"sum":x`, "}": ""} {
		changed := []byte(strings.Replace(text, from, to, 1))
		sign(changed) // so that not the checksum alone refuses it
		if _, err := Read(bytes.NewReader(changed)); err == nil {
			t.Errorf("%s for %s is read", to, from)
		}
	}
	if _, err := Read(strings.NewReader(`{"format":"rff look 2"}`)); err == nil {
		t.Error("a file without a checksum is read")
	}
	for i := range len(text) {
		changed := []byte(text)
		changed[i] ^= 1
		if _, err := Read(bytes.NewReader(changed)); err == nil {
			t.Errorf("byte %d, %q, may be %q", i, text[i], changed[i])
		}
	}
}

// endless yields a beginning and then zeros, and counts them.
type endless struct {
	begin string
	n     int
}

func (e *endless) Read(b []byte) (int, error) {
	n := copy(b, e.begin)
	e.begin = e.begin[n:]
	clear(b[n:])
	e.n += len(b)
	return len(b), nil
}

// Another file is not read to its end to be refused, and no file takes memory without bound.
func TestReadsNoMore(t *testing.T) {
	for begin, most := range map[string]int{"a,b,y\n": 1 << 16, magic: mostBytes + 1<<16} {
		from := &endless{begin: begin}
		if _, err := Read(from); err == nil || from.n > most {
			t.Errorf("%q: %v after %d bytes", begin, err, from.n)
		}
	}
}
