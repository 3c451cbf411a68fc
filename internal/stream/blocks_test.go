package stream

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/optional"
)

// Rows have the same sums, to the last bit, in whatever pieces they come and whoever scales them. Rows of weight 0 are
// none, whatever their inputs, and weights of 1 are as none. Rows that wait may be put back into another adder.
func TestAddsRows(t *testing.T) {
	const rows, in, targets = 3*blas.RowBlock + 41, 3, 2
	r := rand.New(rand.NewPCG(1, 1))
	x, y := blas.NewGeneral[float64](rows, in), blas.NewGeneral[float64](rows, targets)
	for _, v := range [][]float64{x.Data, y.Data} {
		for i := range v {
			v[i] = r.NormFloat64()
		}
	}
	w := blas.NewGeneral[float64](10, in)
	for i := range w.Data {
		w.Data[i] = r.NormFloat64()
	}
	f := blas.Pack[float32](&blas.Spec{Dim: in, W: w, Func: asm.CosSin, Weight: slices.Repeat([]float64{1}, 20)})
	bent := rff.Scaling{From: [][]float64{{-1, 0, 2}, nil, {-0.5, 0.5}}, To: [][]float64{{-3, 0, 1}, nil, {0, 1}}, Shift: []float64{0.1, 0.2, 0.3}, Scale: []float64{2, 3, 4}}
	scaled := blas.NewGeneral[float64](rows, in)
	for i := range rows {
		Scale(bent, scaled.Row(i), x.Row(i))
	}
	mixed, ones := make([]float64, rows), slices.Repeat([]float64{1}, rows)
	for i := range mixed {
		mixed[i] = float64(i % 3)
	}
	ref := []float64{0.5, -0.5}
	adder := func(s rff.Scaling) Adder { return newAdder(f, blas.Engine{Workers: 2}, targets, s, true) }
	same := func(name string, got, want *blas.Sums) {
		t.Helper()
		if got.Rows != want.Rows || got.W != want.W || !slices.Equal(got.G.Data, want.G.Data) || !slices.Equal(got.ZY.Data, want.ZY.Data) || !slices.Equal(got.Z, want.Z) || !slices.Equal(got.YY, want.YY) {
			t.Errorf("%s: other sums", name)
		}
	}
	for name, weights := range map[string][]float64{"none": nil, "ones": ones, "mixed": mixed} {
		// The reference has one row after the other, scaled already, without those of weight 0.
		acc := blas.NewAccumulator(f, targets, true)
		for i := range rows {
			v := Weight(weights, i)
			if v == 0 {
				continue
			}
			xr, yr := blas.NewGeneral[float32](1, in), blas.NewGeneral[float32](1, targets)
			Scale(bent, xr.Data, x.Row(i))
			Less(yr.Data, y.Row(i), ref)
			acc.Add(blas.Engine{}, xr, yr, []float32{float32(v)})
		}
		acc.Flush(blas.Engine{})
		from := x
		if name == "mixed" {
			from = blas.General[float64]{Rows: rows, Cols: in, Stride: in, Data: slices.Clone(x.Data)}
			from.Row(3)[1] = math.NaN() // of weight 0
		}
		for _, piece := range []int{1, 100, blas.RowBlock, rows} {
			a := adder(bent)
			for i := 0; i < rows; i += piece {
				end := min(i+piece, rows)
				a.Add(from.RowRange(i, end), y.RowRange(i, end), optional.Range(weights, i, end), ref)
				if i == 200 {
					px, py, pw := a.Pending()
					other := adder(bent)
					other.Merge(a.Sums(), 1)
					other.Restore(px, py, pw)
					if a = other; a.PendingRows() != len(pw) {
						t.Errorf("%d rows wait, %d were put back", a.PendingRows(), len(pw))
					}
				}
			}
			a.Flush()
			same(name, a.Sums(), &acc.Sums)
		}
		last := adder(bent)
		last.Last(from, y, weights, ref)
		same(name+", at once", last.Sums(), &acc.Sums)
	}
	// Rows that need no conversion are read where they are, and stay as they are.
	before := slices.Clone(x.Data)
	newAdder(blas.Pack[float64](&blas.Spec{Dim: in, W: w, Func: asm.CosSin, Weight: slices.Repeat([]float64{1}, 20)}), blas.Engine{}, targets, rff.Scaling{}, true).Add(x, y, mixed, ref)
	if !slices.Equal(x.Data, before) {
		t.Error("an adder changes the rows that it is given")
	}
	none := adder(bent)
	none.Add(x, y, make([]float64, rows), nil)
	if none.Flush(); none.Sums().Rows != 0 {
		t.Error("rows of weight 0 are added, or need a reference")
	}
	plain := adder(rff.Scaling{})
	plain.Last(scaled, y, nil, ref)
	again := adder(bent)
	again.Last(x, y, nil, ref)
	same("scaled before", plain.Sums(), again.Sums())
}

// Sums of rows whose columns are bent, as ranks and logarithms are, of few inputs and of many.
func BenchmarkAddBent(b *testing.B) {
	for _, in := range []int{10, 300, 5000} {
		b.Run(fmt.Sprintf("inputs=%d", in), func(b *testing.B) {
			const rows, points = 1000, 100
			r := rand.New(rand.NewPCG(1, 1))
			s := rff.Scaling{From: make([][]float64, in), To: make([][]float64, in)}
			for j := range in {
				for k := range points {
					s.From[j], s.To[j] = append(s.From[j], float64(k)/points*6-3), append(s.To[j], float64(k)/points)
				}
			}
			x, y, w := blas.NewGeneral[float64](rows, in), blas.NewGeneral[float64](rows, 1), blas.NewGeneral[float64](64, in)
			for _, v := range [][]float64{x.Data, w.Data} {
				for i := range v {
					v[i] = r.NormFloat64()
				}
			}
			f := blas.Pack[float64](&blas.Spec{Dim: in, W: w, Func: asm.CosSin, Weight: slices.Repeat([]float64{1}, 128)})
			for b.Loop() {
				newAdder(f, blas.Engine{Workers: 1}, 1, s, true).Last(x, y, nil, []float64{0})
			}
		})
	}
}
