package scale

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/cmd/rff/looks"
	_ "github.com/rffgo/rff/internal/golden" // for its flag -update
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/internal/look"
	"github.com/rffgo/rff/krr"
)

// numbers is how many one worker reads in a second, from Parquet: 2.2 million rows of 21.
const numbers = 2.2e6 * 21

// measured are the costs behind docs/scale.md, which says where they come from.
var measured = []Costs{
	{Features: 1024, Rows: 102_900, Read: numbers / 9, Bytes: SumBytes(1024, 1), Merge: 0.007, Write: 0.010, Solve: 0.02, Look: 1.12e6, Gather: 0.07},
	{Features: 4096, Rows: 5_160, Read: numbers / 785, Bytes: SumBytes(4096, 1), Merge: 0.14, Write: 0.18, Solve: 0.4, Look: 56.4e6, Gather: 1.5},
}

// A gigabit network, so that no cluster is worse.
var cluster = Cluster{Fan: 8, Network: 125e6, Jitter: 0.1, Planned: 1}

// Formula and simulation agree to a few percent: the formula waits for the slowest
// worker and counts full merges, and so is never below by more than rounding.
func TestFormulaIsTheSimulation(t *testing.T) {
	for _, c := range measured {
		for _, w := range []int{1, 2, 7, 8, 64, 100, 1000, 4096} {
			for _, fan := range []int{2, 8, 32} {
				on := cluster
				on.Workers, on.Fan, on.Planned = w, fan, w%3
				for _, rows := range []float64{1e6, 1e9, 1e12} {
					f, s := Time(c, on, rows), Simulate(c, on, rows, uint64(w))
					if s > f*(1+1e-12) || s < f*(1-on.Jitter)/(1+on.Jitter)-1e-9 {
						t.Errorf("s = %d, %d workers, fan %d, %g rows: formula %g, simulated %g", c.Features, w, fan, rows, f, s)
					}
				}
			}
		}
	}
}

// A real merge tree has as many levels as Levels says, files as long as SumBytes
// says, and the sums of a serial merge.
func TestRealTree(t *testing.T) {
	const s, workers, fan, rows = 64, 23, 4, 300
	m, err := rff.New(rff.NewGaussian(1), 3, s, rand.NewPCG(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(3, 4))
	var level [][]byte
	serial := krr.NewGram(m, 1, krr.GramSettings{})
	for range workers {
		x, y := blas.NewGeneral[float64](rows, 3), blas.NewGeneral[float64](rows, 1)
		for i := range x.Data {
			x.Data[i] = random.NormFloat64()
		}
		for i := range y.Data {
			y.Data[i] = random.NormFloat64()
		}
		g := krr.NewGram(m, 1, krr.GramSettings{})
		for _, to := range []*krr.Gram{g, serial} {
			if err := to.Add(context.Background(), rff.Batch{X: x, Y: y}); err != nil {
				t.Fatal(err)
			}
		}
		hook.Sums(g) // no rows pend: what a worker has at its end
		level = append(level, save(t, g))
	}
	const header = 8 << 10 // names, and the map of 3 × 32 frequencies
	if n := float64(len(level[0])); n < SumBytes(s, 1) || n > SumBytes(s, 1)+header {
		t.Errorf("%g bytes, SumBytes says %g", n, SumBytes(s, 1))
	}
	levels := 0
	for ; len(level) > 1; levels++ {
		var next [][]byte
		for at := 0; at < len(level); at += fan {
			total := load(t, level[at])
			for _, data := range level[at+1 : min(at+fan, len(level))] {
				if err := total.Merge(load(t, data)); err != nil {
					t.Fatal(err)
				}
			}
			next = append(next, save(t, total))
		}
		level = next
	}
	if levels != Levels(workers, fan) {
		t.Errorf("%d levels, Levels says %d", levels, Levels(workers, fan))
	}
	tree := load(t, level[0])
	if tree.Rows() != workers*rows || serial.Rows() != tree.Rows() {
		t.Fatalf("%d rows, serial %d", tree.Rows(), serial.Rows())
	}
	for i := range s {
		a, b := sumsOf(tree).G.Row(i)[i], sumsOf(serial).G.Row(i)[i]
		if math.Abs(a-b) > workers*rows*0x1p-53*b {
			t.Errorf("G(%d, %d): %v, serial %v", i, i, a, b)
		}
	}
}

func save(t testing.TB, g *krr.Gram) []byte {
	var b bytes.Buffer
	if _, err := g.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func load(t testing.TB, data []byte) *krr.Gram {
	g, err := krr.ReadGram(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// BenchmarkCosts measures what Costs holds, by processor time, which other programs on the
// machine change less: go test -run '^$' -bench Costs -benchtime 4x -count 3 ./scale, in bench
func BenchmarkCosts(b *testing.B) {
	for _, c := range []struct{ features, inputs int }{{1024, 8}, {4096, 784}} {
		m, err := rff.New(rff.NewGaussian(1), c.inputs, c.features, rand.NewPCG(1, 2))
		if err != nil {
			b.Fatal(err)
		}
		m = inside.On(m, blas.Engine{Workers: 1})
		const rows = 5040
		x, y := blas.NewGeneral[float64](rows, c.inputs), blas.NewGeneral[float64](rows, 1)
		random := rand.New(rand.NewPCG(3, 4))
		for i := range x.Data {
			x.Data[i] = random.NormFloat64() / math.Sqrt(float64(c.inputs))
		}
		run := func(op string, do func() error, metric func(b *testing.B, seconds float64)) {
			b.Run(fmt.Sprintf("op=%s/s=%d", op, c.features), func(b *testing.B) {
				start := processorTime()
				for range b.N {
					if err := do(); err != nil {
						b.Fatal(err)
					}
				}
				seconds := (processorTime() - start).Seconds() / float64(b.N)
				b.ReportMetric(0, "ns/op") // of a machine with others on it
				metric(b, seconds)
			})
		}
		milliseconds := func(b *testing.B, seconds float64) { b.ReportMetric(1e3*seconds, "cpu-ms/op") }
		g := krr.NewGram(m, 1, krr.GramSettings{})
		run("add", func() error { return g.Add(context.Background(), rff.Batch{X: x, Y: y}) },
			func(b *testing.B, seconds float64) { b.ReportMetric(rows/seconds, "rows/cpu-s") })
		hook.Sums(g)
		data := save(b, g)
		run("write", func() error { save(b, g); return nil }, func(b *testing.B, seconds float64) {
			milliseconds(b, seconds)
			b.ReportMetric(float64(len(data)), "bytes")
		})
		run("merge", func() error {
			h := load(b, data)
			hook.ForgetParts(h)
			return g.Merge(h)
		}, milliseconds)
		seen, more := new(bytes.Buffer), new(bytes.Buffer)
		looks.File{Look: lookOf(x, 0)}.WriteTo(seen)
		looks.File{Look: lookOf(x, 1)}.WriteTo(more)
		run("gather", func() error { // the first of two is read only to be changed
			all, err := looks.Read(bytes.NewReader(seen.Bytes()))
			if err != nil {
				return err
			}
			l, err := looks.Read(bytes.NewReader(more.Bytes()))
			if err != nil {
				return err
			}
			return looks.Merge(all, l)
		}, func(b *testing.B, seconds float64) {
			milliseconds(b, seconds)
			b.ReportMetric(float64(more.Len()), "bytes")
		})
		run("solve", func() error { _, err := g.Solve(context.Background(), 1e-4); return err }, milliseconds)
	}
}

// lookOf looks at 10,000 rows like those of x, of file k.
func lookOf(x blas.General[float64], k int) *look.Look {
	schema := rff.Schema{Inputs: make([]rff.Column, x.Cols)}
	l, row := look.New(schema), make([]float64, x.Cols)
	for i := range 10_000 {
		copy(row, x.Row(i%x.Rows))
		row[0] += float64(i + 20_000*k)
		l.Add(&look.Row{X: row, Label: look.Label{Value: float64(i), Number: true}, Weight: 1, File: fmt.Sprint("part-", k), Number: int64(i + 1)}, false)
	}
	return l
}

const begin, end = "<!-- table -->\n", "<!-- /table -->\n"

// The table of docs/scale.md is that of the measured costs; go test -update writes it.
func TestPage(t *testing.T) {
	const page = "../../docs/scale.md"
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(data), begin)
	have, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("no table in the page")
	}
	want := Table(measured, cluster, []float64{1e9, 1e12}, []int{10, 100, 1000})
	if have == want {
		return
	}
	if f := flag.Lookup("update"); f == nil || f.Value.String() != "true" {
		t.Fatalf("the table of %s is not that of the costs: go test -update\n%s", page, want)
	}
	if err := os.WriteFile(page, []byte(before+begin+want+end+after), 0o666); err != nil {
		t.Fatal(err)
	}
}

// sumsOf returns the sums of a Gram.
func sumsOf(g *krr.Gram) *blas.Sums {
	s, _ := hook.Sums(g)
	return s
}
