package sampling

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
)

// edges is points on the border of the cube, where quantile functions are infinite.
type edges struct{ dim, next int }

func (p *edges) Dim() int      { return p.dim }
func (p *edges) Skip(n uint64) { p.next += int(n) }
func (p *edges) Next(u []float64) {
	for j := range u {
		u[j] = float64((p.next + j) % 2)
	}
	p.next++
}

// points on the border give finite frequencies, for every kernel.
func TestPointsAreClipped(t *testing.T) {
	ctx := context.Background()
	for _, form := range []rff.Form{rff.CosSin, rff.CosBias} {
		for _, k := range []rff.Kernel{rff.NewGaussian(1), rff.NewLaplacian(1), rff.NewCauchy(1), rff.NewMatern(0.5, 1), rff.NewMatern(2.5, 1)} {
			d, err := begin(ctx, "edges", form, rff.Request{Kernel: k, Dim: 3, Features: 4})
			if err != nil {
				t.Fatal(err)
			}
			m, err := d.fromPoints(ctx, &edges{dim: d.coordinates()}) // inside.New refuses what is not finite
			if err != nil {
				t.Errorf("%v, %v: %v", k, form, err)
				continue
			}
			for _, w := range inside.Spec(m).W.Data {
				if w == 0 || math.Abs(w) > 0x1p60 {
					t.Errorf("%v: frequency %g", k, w)
				}
			}
		}
	}
}

// Whether a row depends on those before it is a matter of its own length: long rows
// before short ones do not drop them, and exact multiples go wherever they are.
func TestOrthonormalizeByOwnLength(t *testing.T) {
	const rows, cols = 200, 260
	src := rand.NewPCG(2, 3)
	a := blas.NewGeneral[float64](rows, cols)
	for i := range rows {
		by := 1e12
		if i%40 >= 20 {
			by = 1e-6
		}
		for j := range cols {
			a.Row(i)[j] = by * normal(src)
		}
	}
	dependent := []int{17, 37, 130, 199} // a multiple of the row before
	for _, i := range dependent {
		for j, v := range a.Row(i - 1) {
			a.Row(i)[j] = -3 * v
		}
	}
	q, err := orthonormalize(context.Background(), blas.Engine{}, a)
	if err != nil {
		t.Fatal(err)
	}
	if q.Rows != rows-len(dependent) {
		t.Errorf("rank %d, want %d", q.Rows, rows-len(dependent))
	}
	for i := range q.Rows {
		for j := range i + 1 {
			want := 0.0
			if i == j {
				want = 1
			}
			if e := math.Abs(dot(q.Row(i), q.Row(j)) - want); e > 1e-14 {
				t.Fatalf("rows %d and %d: off by %g", i, j, e)
			}
		}
	}
}

// A map of picks stands for the kernel only if weights make up for the picking.
func TestKernelOfPicks(t *testing.T) {
	data := waves(100, 2, 1)
	for _, stands := range []bool{false, true} {
		p := Pool{Importance: stands}
		for _, s := range []scorer{Surrogate{Pool: p}, Leverage{Pool: p}, EERF{Pool: p}} {
			r := scored(t, s, 2, 8, data, 1)
			if k := r.Map.Kernel(); (k != nil) != stands {
				t.Errorf("%T, importance %v: the kernel is %v", s, stands, k)
			}
			if r.Candidates.Kernel() == nil {
				t.Errorf("%T: the pool has no kernel", s)
			}
		}
	}
	if r := scored(t, LKRF{Keep: true}, 2, 8, data, 1); r.Map.Kernel() != nil {
		t.Error("LKRF's weights prefer the targets' kernel")
	}
}

// fixed is a source that always gives the same bits.
type fixed uint64

func (f fixed) Uint64() uint64 { return uint64(f) }

// A draw that falls on a border belongs to the candidate after it, and never to
// one of probability zero.
func TestDrawsOnBorders(t *testing.T) {
	for _, c := range []struct {
		bits uint64
		prob []float64
		want int
	}{
		{1 << 63, []float64{0.5, 0, 0.5}, 2}, {1 << 63, []float64{0.5, 0.5, 0}, 1}, {0, []float64{0, 0.25, 0.75}, 1},
		{math.MaxUint64, []float64{0.25, 0.75, 0, 0}, 1}, {1<<62 - 1, []float64{0.25, 0.75}, 0},
	} {
		if picked, count := multinomial(c.prob, 1, fixed(c.bits)); len(picked) != 1 || picked[0] != c.want || count[0] != 1 {
			t.Errorf("bits %x of %v: picked %v, want %d", c.bits, c.prob, picked, c.want)
		}
	}
}

// Equal frequencies become one that counts as much: squares of amplitudes add up.
func TestMergeEqual(t *testing.T) {
	s := &blas.Spec{Dim: 2, Func: asm.Linear, Weight: []float64{0.5, 3, 0.25, 0.125},
		W: blas.General[float64]{Rows: 4, Cols: 2, Stride: 2, Data: []float64{1, 0, 0, 1, 1, 0, 1, 0}}}
	m := mergeEqual(s)
	want := []float64{math.Sqrt(0.25 + 0.0625 + 0.015625), 3}
	if m.W.Rows != 2 || len(m.Weight) != 2 || !close2(m.Weight[0], want[0], 1e-15) || m.Weight[1] != 3 ||
		m.W.Row(0)[0] != 1 || m.W.Row(1)[1] != 1 {
		t.Errorf("rows %v with weights %v, want weights %v", m.W.Data, m.Weight, want)
	}
	if s.W.Rows != 4 || s.Weight[0] != 0.5 {
		t.Error("what is merged changes")
	}
}

// A pick takes the phase, the row and every column's own amplitude along.
func TestSubset(t *testing.T) {
	s := &blas.Spec{Dim: 1, Func: asm.CosSin, W: blas.General[float64]{Rows: 3, Cols: 1, Stride: 1, Data: []float64{10, 20, 30}},
		Phase: []float64{1, 2, 3}, Weight: []float64{1, 2, 3, 4, 5, 6}}
	m, err := subset(context.Background(), blas.Engine{}, s, []int{0, 2}, []float64{2, 10})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(m.W.Data, []float64{10, 30}) || !slices.Equal(m.Phase, []float64{1, 3}) || !slices.Equal(m.Weight, []float64{2, 30, 8, 60}) {
		t.Errorf("frequencies %v, phases %v, weights %v", m.W.Data, m.Phase, m.Weight)
	}
}
