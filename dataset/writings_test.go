package dataset

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// written is a table as cells of text, of random columns: numbers, words and times as inputs,
// the label "y", weights "w" and groups "g".
type written struct {
	names   []string
	numbers map[string]bool
	cells   [][]string // of each row, in the order of names
}

func randomTable(r *rand.Rand, rows int) (written, Options) {
	t := written{numbers: map[string]bool{"w": true}, cells: make([][]string, rows)}
	o := Options{Label: "y", Weights: "w", Groups: "g"}
	column := func(name string, cell func() string) {
		t.names = append(t.names, name)
		for i := range t.cells {
			t.cells[i] = append(t.cells[i], cell())
		}
	}
	among := func(words ...string) func() string { return func() string { return words[r.IntN(len(words))] } }
	number := func() string { return strconv.FormatFloat(1e8*float64(r.IntN(2))+r.NormFloat64(), 'g', 12, 64) }
	for i := range 1 + r.IntN(3) {
		name := fmt.Sprintf("x%d", i)
		t.numbers[name] = true
		o.Inputs = append(o.Inputs, name)
		column(name, number)
	}
	for i := range r.IntN(3) {
		name := among("c%d", "c,%d", "\"c\";%d")()
		name = fmt.Sprintf(name, i)
		o.Inputs, o.Categories = append(o.Inputs, name), append(o.Categories, name)
		column(name, among("red", "gr een", "b,l;u\te", "\"q\"", "two\nlines", ""))
	}
	if r.IntN(2) == 0 {
		o.Inputs = append(o.Inputs, "t")
		column("t", func() string { return fmt.Sprintf("20%02d-%02d-03 %02d:15:00", 10+r.IntN(9), 1+r.IntN(12), r.IntN(24)) })
	}
	if o.Task = Regression; r.IntN(2) == 0 {
		o.Task = Classification
		column("y", among("no", "a \"yes\"", "-3"))
	} else {
		t.numbers["y"] = true
		column("y", number)
	}
	column("w", among("1", "2.5", "0.25"))
	column("g", among("g 1", "g,2", "\"g\"", "4"))
	o.Missing = "mean"
	return t, o
}

// text writes rows of the columns in an order. The share of quoted fields is quotes, and numbers
// have the mark between their digits.
func (t written) text(r *rand.Rand, rows [][]string, order []int, comma, mark, end string, quotes float64) []byte {
	var b bytes.Buffer
	line := func(cells []string, names bool) {
		for k, c := range order {
			if k > 0 {
				b.WriteString(comma)
			}
			s := cells[c]
			if !names && t.numbers[t.names[c]] {
				s = strings.Replace(s, ".", mark, 1)
			}
			if s != "" && r.Float64() < quotes || strings.ContainsAny(s, "\"\n"+comma) {
				s = `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
			}
			b.WriteString(s)
		}
		b.WriteString(end)
	}
	line(t.names, true)
	for _, cells := range rows {
		line(cells, false)
	}
	return b.Bytes()
}

// A table reads as the same numbers with quotes or without, with any separator, decimal mark,
// order of columns and division into files, in one piece and in chunks. Numbers, labels
// and weights are those that strconv reads in its cells.
func TestWritingsAgree(t *testing.T) {
	for seed := range uint64(24) {
		r := rand.New(rand.NewPCG(seed, 11))
		rows := 20 + r.IntN(60)
		if seed == 0 {
			rows = 10000 // several chunks
		}
		table, o := randomTable(r, rows)
		order := r.Perm(len(table.names))
		file := func(rows [][]string, order []int, comma, mark, end string, quotes float64) string {
			return write(t, "t.csv", table.text(r, rows, order, comma, mark, end, quotes))
		}
		read := func(paths ...string) *Table {
			t.Helper()
			got, err := Read(context.Background(), o, paths...)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			return got
		}
		want := read(file(table.cells, order, ",", ".", "\n", 0))
		for i, cells := range table.cells {
			for c, name := range table.names {
				v, _ := strconv.ParseFloat(cells[c], 64)
				switch k := slices.Index(want.Inputs, name); {
				case k >= 0 && table.numbers[name] && want.X.Row(i)[k] != v, name == "w" && want.Weights[i] != v,
					name == "y" && o.Task == Regression && want.Y[i] != v, name == "y" && o.Task == Classification && want.Label(i) != cells[c]:
					t.Fatalf("seed %d: row %d of %q is not %q", seed, i, name, cells[c])
				}
			}
		}
		half := rows / 3
		for what, paths := range map[string][]string{
			"all quoted":     {file(table.cells, order, ",", ".", "\n", 1)},
			"some quoted":    {file(table.cells, r.Perm(len(order)), ",", ".", "\r\n", .5)},
			"decimal commas": {file(table.cells, order, ";", ",", "\n", .5)},
			"tabs":           {file(table.cells, r.Perm(len(order)), "\t", ".", "\n", 0)},
			"several files":  {file(table.cells[:half], order, ",", ".", "\n", 1), file(table.cells[half:], order, ",", ".", "\n", 0)},
		} {
			got := read(paths...)
			for of, pair := range map[string][2]any{"X": {got.X, want.X}, "Y": {got.Y, want.Y}, "Weights": {got.Weights, want.Weights},
				"Groups": {got.Groups, want.Groups}, "Inputs": {got.Inputs, want.Inputs}, "Coding": {got.Coding, want.Coding}} {
				if !reflect.DeepEqual(pair[0], pair[1]) {
					t.Errorf("seed %d: %s: %s differ: %.300q, want %.300q", seed, what, of, fmt.Sprint(pair[0]), fmt.Sprint(pair[1]))
				}
			}
		}
	}
}
