package learn

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/portable"
	"github.com/rffgo/rff/internal/train"
)

// descent is a training under way.
type descent struct {
	seed     uint64
	training *train.Map[float32]
	w        blas.General[float64] // frequencies to begin with
	coef     blas.General[float32] // and coefficients
	x, y     blas.General[float32] // y has the intercept subtracted, which is not trained
	weight   []float64             // of the rows, nil for equal ones
	steps    int                   // of an epoch
	total    int                   // of all epochs
	done     int                   // steps taken
	halvings int                   // of the rates
	rateW    float64
	rateA    float64
	ridge    float64 // penalty of the coefficients
	batchX   blas.General[float32]
	batchY   blas.General[float32]
	order    []int
	drawn    []int // the rows of the next epoch, in place of order
}

// descend begins with the frequencies and coefficients of a fit.
func (r *Refine) descend(first *Fit) *descent {
	x, y := r.Inputs, r.Train.Y
	f, dim := first.w.Rows, first.w.Cols
	d := &descent{seed: r.Seed, training: train.New[float32](r.Problem.Engine, dim, f, y.Cols), steps: Steps(x.Rows),
		x: times[float32](x, 1), y: blas.NewGeneral[float32](y.Rows, y.Cols), order: make([]int, x.Rows), drawn: make([]int, 0, x.Rows)}
	for i := range y.Rows {
		for t, v := range y.Row(i) {
			d.y.Row(i)[t] = float32(v - first.Shift[t])
		}
	}
	d.weight = r.Train.Weight
	d.w, d.coef = first.w, times[float32](first.Coef, 1/math.Sqrt(float64(f))) // for features of amplitude 1
	d.begin(0)
	d.total = d.steps * r.Epochs
	d.rateW, d.rateA = learnRate*rms(d.w), learnRate*rms(d.coef)
	d.ridge = first.Lambda * float64(f)
	size := (x.Rows + d.steps - 1) / d.steps
	d.batchX, d.batchY = blas.NewGeneral[float32](size, dim), blas.NewGeneral[float32](size, y.Cols)
	return d
}

// begin starts from the first frequencies and coefficients, at rates that have been
// halved that often.
func (d *descent) begin(halvings int) {
	d.training.SetFrequencies(d.w)
	d.training.SetCoefficients(d.coef)
	d.done, d.halvings = 0, halvings
}

// epoch takes the steps of an epoch, counted from 1. It reports whether all losses
// were finite.
func (d *descent) epoch(ctx context.Context, number int) (ok bool, err error) {
	d.shuffle(rand.NewPCG(d.seed, uint64(number)))
	n := len(d.order)
	for i := range d.steps {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		order := d.order[i*n/d.steps : (i+1)*n/d.steps]
		x, y := d.batchX.RowRange(0, len(order)), d.batchY.RowRange(0, len(order))
		for to, at := range order {
			copy(x.Row(to), d.x.Row(at))
			copy(y.Row(to), d.y.Row(at))
		}
		if loss := d.training.Gradient(x, y); loss-loss != 0 {
			return false, nil
		}
		rate := math.Ldexp(0.5, -d.halvings) * (1 + portable.CosPi(float64(d.done)/float64(d.total)))
		scale := 1 / float64(len(order))
		d.training.Step(train.Adam{Rate: float64(rate * d.rateW), Scale: scale}, train.Adam{Rate: float64(rate * d.rateA), Scale: scale, Decay: d.ridge})
		d.done++
	}
	return true, nil
}

// shuffle draws the order of an epoch: every row once, in random order. If rows have weights,
// each row comes as often as its weight over the mean weight, rounded up or down at random. For
// this, shuffle lays the weights end to end in that order and takes the rows at equal distances
// from a random beginning (systematic sampling).
func (d *descent) shuffle(src rand.Source) {
	n := len(d.order)
	for i := range d.order {
		d.order[i] = i
	}
	for i := n - 1; i > 0; i-- {
		hi, _ := bits.Mul64(src.Uint64(), uint64(i+1))
		d.order[i], d.order[hi] = d.order[hi], d.order[i]
	}
	if d.weight == nil {
		return
	}
	step, begin := dense.Sum(d.weight)/float64(n), float64(float64(src.Uint64()>>11)*0x1p-53)
	drawn, sum := d.drawn[:0], 0.0
	for _, row := range d.order {
		sum += d.weight[row]
		for len(drawn) < n && float64((float64(len(drawn))+begin)*step) < sum {
			drawn = append(drawn, row)
		}
	}
	for len(drawn) < n { // rounding
		drawn = append(drawn, drawn[len(drawn)-1])
	}
	d.order, d.drawn = drawn, d.order
}

// times returns m times a number, in T.
func times[T blas.Float](m blas.General[float64], factor float64) blas.General[T] {
	c := blas.NewGeneral[T](m.Rows, m.Cols)
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			c.Row(i)[j] = T(v * factor)
		}
	}
	return c
}

// rms returns the root mean square of the elements.
func rms[T blas.Float](m blas.General[T]) float64 {
	var s float64
	for i := range m.Rows {
		for _, v := range m.Row(i) {
			s += float64(float64(v) * float64(v))
		}
	}
	return math.Sqrt(s / float64(m.Rows*m.Cols))
}
