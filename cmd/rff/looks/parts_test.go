package looks_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/cmd/rff/files"
	"github.com/rffgo/rff/cmd/rff/looks"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/look"
)

// mixed returns rows of numbers of many magnitudes, words, dates, ids and gaps, some of which
// repeat, under a header.
func mixed(n int, classes bool) (rows []string) {
	r := rand.New(rand.NewPCG(7, uint64(n)))
	for i := range n {
		if i > 10 && i%7 == 0 { // but for the id
			_, rest, _ := strings.Cut(rows[r.IntN(i)], ",")
			rows = append(rows, fmt.Sprintf("%d,%s", i, rest))
			continue
		}
		gap := fmt.Sprint(r.NormFloat64())
		if i%11 == 3 {
			gap = ""
		}
		y := fmt.Sprint(r.IntN(9000)) // more than can be classes
		if classes {
			y = []string{"red", "green", "blue, or so"}[r.IntN(3)]
		}
		rows = append(rows, fmt.Sprintf("%d,%g,%s,%s,%d/%d/2024,%q", i, math.Exp(20*r.NormFloat64())*float64(r.IntN(3)-1), gap, []string{"oslo", "lima", "rome", "7"}[r.IntN(4)], r.IntN(28)+1, r.IntN(12)+1, y))
	}
	return rows
}

// seenIn returns the look at parts, each written to a file and read again, that look makes,
// merged in a random order.
func seenIn(t *testing.T, r *rand.Rand, parts []string, at func(path string) (*look.Look, error)) *look.Look {
	t.Helper()
	var all []*look.Look
	for _, p := range parts {
		l, err := at(p)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if _, err := (looks.File{Look: l}).WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		if !looks.Is(b.Bytes()) {
			t.Errorf("a look begins with %.40q", b.String())
		}
		if l, err = looks.Read(&b); err != nil {
			t.Fatal(err)
		}
		all = append(all, l)
	}
	for len(all) > 1 { // a random tree
		i := r.IntN(len(all) - 1)
		if err := looks.Merge(all[i], all[i+1]); err != nil {
			t.Fatal(err)
		}
		all = slices.Delete(all, i+1, i+2)
		r.Shuffle(len(all), reflect.Swapper(all))
	}
	return all[0]
}

// write returns the path of a new file.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// moments returns the range, the mean and the deviation of every input.
func moments(s *dataset.Summary) (all [][4]float64) {
	l := files.Look(s)
	for _, m := range l.Inputs {
		all = append(all, [4]float64{m.Min, m.Max, m.Mean(), m.Std(l.Rows)})
	}
	return all
}

// However rows are dealt out to parts, and in whatever order looks at these merge, a plan
// sees what one pass over all rows finds: columns, ranges, means, classes and the sample, bit
// for bit.
func TestLooksMerge(t *testing.T) {
	const header = "id,a,b,town,when,y\n"
	for _, c := range []struct {
		rows    int
		classes bool
		missing rff.Missing
	}{{60, true, rff.MissingMean}, {12_500, false, rff.MissingMean}, {900, true, rff.MissingDrop}} {
		rows := mixed(c.rows, c.classes)
		o := dataset.Options{Missing: c.missing, Unseen: "zero", Categories: []string{"town"}}
		all, err := dataset.Open(t.Context(), o, write(t, "all.csv", header+strings.Join(rows, "\n")+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		want, err := all.Scan(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if in := want.Sample.Source().Schema().InputNames(); !slices.Contains(in, "town=7") || !slices.Contains(in, "when:weekday") || slices.Contains(in, "id") {
			t.Fatalf("inputs %q", in)
		}
		first := ""
		for seed := range uint64(4) {
			r := rand.New(rand.NewPCG(seed, 1))
			dealt, parts := make([]strings.Builder, []int{1, 2, 5, 3}[seed]), []string{}
			for _, i := range r.Perm(len(rows)) {
				fmt.Fprintln(&dealt[r.IntN(len(dealt))], rows[i])
			}
			for k := range dealt {
				parts = append(parts, write(t, fmt.Sprintf("%d.csv", k), header+dealt[k].String()))
			}
			columns := seenIn(t, r, parts, func(p string) (*look.Look, error) {
				l, _, err := files.LookAtColumns(t.Context(), o, []string{p})
				return l, err
			})
			var b bytes.Buffer
			if _, err := (looks.File{Look: columns}).WriteTo(&b); err != nil {
				t.Fatal(err)
			}
			if first == "" {
				first = b.String()
			}
			if b.String() != first {
				t.Errorf("%d rows, seed %d: another file of a look at columns", c.rows, seed)
			}
			schema, notes, err := looks.Settle(columns)
			if err != nil || len(notes) != 2 {
				t.Fatal(notes, err)
			}
			seen := seenIn(t, r, parts, func(p string) (*look.Look, error) {
				part := dataset.Options{Schema: &schema}
				files.Reading(&part).Part = true
				f, err := dataset.Open(t.Context(), part, p)
				if err != nil {
					return nil, err
				}
				s, err := f.Scan(t.Context(), nil)
				if err != nil {
					return nil, err
				}
				return files.Look(s), nil
			})
			got, err := files.Summary(seen, "")
			if err != nil {
				t.Fatal(err)
			}
			for what, v := range map[string][2]any{
				"rows":    {got.Rows, want.Rows},
				"missing": {got.Missing, want.Missing}, "dropped": {got.Dropped, want.Dropped},
				"ranges, means and deviations": {moments(got), moments(want)}, "scaling": {got.Scaling("standard"), want.Scaling("standard")},
				"counts": {got.Counts, want.Counts}, "coding": {got.Coding, want.Coding},
				"sample": {got.Sample.X.Data, want.Sample.X.Data}, "labels": {got.Sample.Y, want.Sample.Y},
				"counts of labels": {seen.Labels.Counts, files.Look(want).Labels.Counts},
				"schema":           {got.Sample.Source().Schema(), want.Sample.Source().Schema()},
			} {
				if !reflect.DeepEqual(v[0], v[1]) {
					t.Errorf("%d rows, seed %d: %s differ:\n%.300v\n%.300v", c.rows, seed, what, v[0], v[1])
				}
			}
		}
	}
}
