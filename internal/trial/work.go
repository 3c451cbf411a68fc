package trial

import (
	"github.com/rffgo/rff/internal/ridge"
	"github.com/rffgo/rff/internal/stream"
)

// Size is the size of a fit and of the rows that it is measured on.
type Size struct {
	In, Targets, Features int
	Train, Valid          int // rows
	Lambdas               int
	Precision             *stream.Precision // nil: Float64
	Sums                  bool              // the solution needs them however few the rows are
	Bent                  int               // inputs that are bent for this fit
}

// Work returns the multiply-adds of a fit and of predicting the held-out rows for every λ.
func (s Size) Work() float64 {
	rows, valid := float64(s.Train), float64(s.Valid)
	f, t, l := float64(s.Features), float64(s.Targets), float64(s.Lambdas)
	// A cosine and its sine cost about 20 multiply-adds, a random frequency of an
	// orthogonal block d².
	precision := s.Precision.On(false)
	cost := precision.Cost
	in := float64(s.In)
	if s.Features > s.Train && !s.Sums && precision.Few != nil { // by the kernel matrix of the rows, in float64
		features := float64((rows + valid) * (float64(f/2*(in+20)) + s.far()))
		products := float64(rows * f * (float64(rows/2) + float64(t*l)))
		return features + products + s.solving(rows) + s.measuring(f) + float64(f/2*in*min(in, f/2))
	}
	features := float64(cost * (rows + valid) * (float64(f/2*(in+20)) + s.far()))
	gram := float64(cost * rows * f * (float64(f/2) + t))
	return features + gram + s.solving(f) + s.measuring(f) + float64(f/2*in*min(in, f/2))
}

// Exact returns the multiply-adds of Work where the features are sections on all training
// rows, and the kernel matrix takes the place of sums.
func (s Size) Exact() float64 {
	n, all := float64(s.Train), float64(s.Train+s.Valid)
	return float64(all*(float64(n*float64(s.In+20))+s.far())) + s.solving(n) + s.measuring(n) + float64(10*n*n)
}

// ScalingWork returns the multiply-adds of finding a scaling of rows of that many inputs, and of
// MedianDistances in so many metrics. That of the first nearInputs is not counted, as reading the rows
// is not: with mnist, it would take what a second solution for hard rows needs.
func ScalingWork(rows, in, metrics int) float64 {
	paired := float64(min(rows, pairedRows(in)))
	return float64(float64(max(0, in-nearInputs)) * (float64(scaledNumber*rows) + float64(float64(pairedNumber*metrics)*paired*paired/2)))
}

// BendingWork returns the multiply-adds of bending so many inputs of rows. That of the first nearInputs is
// not counted.
func BendingWork(rows, inputs int) float64 {
	return float64(rows) * float64(bentNumber*max(0, inputs-nearInputs))
}

const (
	// scaledNumber is the work of sorting, bending and looking at a number, and pairedNumber that of a
	// difference of two numbers.
	scaledNumber, pairedNumber = 1900, 50
	// bentNumber is the work of bending a number: with 100 points for each of 2,000 to 20,000 inputs, it takes 21
	// to 29 ns of one of the two cores that do 90 multiply-adds in a ns.
	bentNumber = 1150
	// farInput is the work of an input of a row beyond nearInputs, besides its multiply-adds: fits of 32
	// to 256 frequencies to 400 and 250 rows of 10,000 inputs take the time of 54 to 128 more.
	farInput, nearInputs = 60, 1000
	// oneFit is the work of a fit, and oneSolution that of each equation of its solution for a
	// λ, beside their multiply-adds. It is most of their time up to some hundred equations. Of
	// fits to 60 to 1,000 rows of 8 and 30 inputs, with 32 to 1,024 features, 1 and 3 targets,
	// and 3 and 12 λ, eight tenths then take .45 to 1.25 times their estimate, and all .26 to
	// 2.2 times.
	oneFit, oneSolution = 5e6, 1e4
	// oneScore is the work of the loss of a score. A score is a dot product, whose multiply-adds
	// take oneDot times as long as those of a product of matrices. Fits to 2,000 to 11,000 rows with
	// 256 to 1,024 features, 1 to 100 targets and 3 to 9 λ then take .72 to 1.6 times their estimate.
	oneScore, oneDot = 250, 3
)

// far returns the work of reading, scaling, bending and packing those inputs of a row that do not stay in
// the nearest cache.
func (s Size) far() float64 {
	return float64(farInput*max(0, s.In-nearInputs)) + BendingWork(1, s.Bent)
}

// measuring returns the work of the scores of the held-out rows for every λ, of so many features.
func (s Size) measuring(f float64) float64 {
	return float64(float64(s.Valid) * float64(s.Targets*s.Lambdas) * (oneScore + float64(oneDot*f)))
}

// solving returns the multiply-adds of solutions of so many equations for every λ, and what
// a fit takes beside.
func (s Size) solving(f float64) float64 {
	beside := oneFit + float64(oneSolution*f*float64(s.Lambdas))
	if s.Lambdas <= ridge.FewLambdas {
		return beside + float64(float64(s.Lambdas)*f*f*(float64(f/4)+float64(s.Targets))) // Cholesky factors, f³/6 each
	}
	return beside + float64(2.5*f*f*f) // a reduction, ⅔f³, much of it bound by memory, and the bands
}
