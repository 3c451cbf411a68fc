package roofline

import (
	"math"
	"math/rand/v2"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/train"
)

// backward is epochs of training on random rows and targets.
type backward[T blas.Float] struct {
	training *train.Map[T]
	x, y     blas.General[T]
}

// trainingBatch is the number of rows of a step.
const trainingBatch = 256

func newBackward[T blas.Float](r *rand.Rand, c Case, e blas.Engine) *backward[T] {
	f := c.S / 2
	b := &backward[T]{train.New[T](e, c.D, f, 1), random[T](r, c.N, c.D), random[T](r, c.N, 1)}
	b.training.SetFrequencies(random[float64](r, f, c.D))
	coef := random[T](r, c.S, 1)
	for i := range coef.Data {
		coef.Data[i] /= T(math.Sqrt(float64(f)))
	}
	b.training.SetCoefficients(coef)
	return b
}

// epoch takes a step on every batch.
func (b *backward[T]) epoch() {
	for i := 0; i < b.x.Rows; i += trainingBatch {
		end := min(i+trainingBatch, b.x.Rows)
		b.training.Gradient(b.x.RowRange(i, end), b.y.RowRange(i, end))
		step := train.Adam{Rate: 1e-4, Scale: 1 / float64(end-i)}
		b.training.Step(step, step)
	}
}

// slotsPerRow counts the products X·W, c·a + n·b, cᵀR and nᵀR, R·bᵀ and R·aᵀ, XᵀD,
// and the pair of each frequency as features count it. What is done once per
// element of D, or per step, is not counted.
func (b *backward[T]) slotsPerRow(c Case) float64 {
	const targets = 1
	c.Form = "pair"
	return slotsPerRow(c) + float64(c.S/2*(c.D+6*targets))
}

// residual is the largest error of residuals, and of ∂W given those, on the first
// batch, relative to the sums of the sizes of what is added.
func (b *backward[T]) residual() float64 {
	n := min(trainingBatch, b.x.Rows)
	x, y := b.x.RowRange(0, n), b.y.RowRange(0, n)
	d, f, _ := b.training.Dims()
	state := train.NewState[T](d, f, 1)
	b.training.Save(state)
	b.training.Gradient(x, y)
	grad, r := blas.NewGeneral[T](f, d), b.training.Residuals()
	b.training.FrequencyGradient(grad)
	pair := func(i, j int) (c, s float64) {
		turns := 0.0
		for k, v := range x.Row(i) {
			turns = math.FMA(float64(v), float64(state.W.Row(j)[k]), turns)
		}
		s, c = math.Sincos(2 * math.Pi * (turns - math.Round(turns)))
		return c, s
	}
	coef := func(h, j int) float64 { return float64(state.Coef.Row(h*f + j)[0]) }
	var worst float64
	for i := range n {
		want, size := -float64(y.Row(i)[0]), math.Abs(float64(y.Row(i)[0]))
		for j := range f {
			c, s := pair(i, j)
			want += c*coef(0, j) + s*coef(1, j)
			size += math.Abs(coef(0, j)) + math.Abs(coef(1, j))
		}
		worst = max(worst, math.Abs(float64(r.Row(i)[0])-want)/size)
	}
	for j := range min(sample, f) {
		for k := range d {
			var want, size float64
			for i := range n {
				c, s := pair(i, j)
				v := float64(x.Row(i)[k]) * float64(r.Row(i)[0])
				want += v * (c*coef(1, j) - s*coef(0, j))
				size += math.Abs(v) * (math.Abs(coef(0, j)) + math.Abs(coef(1, j)))
			}
			worst = max(worst, math.Abs(float64(grad.Row(j)[k])-want)/size)
		}
	}
	return worst
}
