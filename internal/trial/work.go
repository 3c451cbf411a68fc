package trial

import "github.com/rffgo/rff/internal/ridge"

// Size is that of a fit and of the rows that it is measured on.
type Size struct {
	In, Targets, Features int
	Train, Valid          int // rows
	Lambdas               int
	Float32               bool
}

// Work returns the multiply-adds of a fit and of predicting the held-out rows for every λ.
func (s Size) Work() float64 {
	rows, valid := float64(s.Train), float64(s.Valid)
	f, t, l := float64(s.Features), float64(s.Targets), float64(s.Lambdas)
	// A cosine and its sine cost about 20 multiply-adds, a random frequency of an
	// orthogonal block d².
	half := 1.0
	if s.Float32 {
		half = 0.5
	}
	in := float64(s.In)
	features := float64(half * (rows + valid) * f / 2 * (in + 20))
	gram := float64(half * rows * f * (float64(f/2) + t))
	solve := float64(2.5 * f * f * f) // a reduction, ⅔f³, much of it bound by memory, and the bands
	if s.Lambdas <= ridge.FewLambdas {
		solve = float64(l * f * f * (float64(f/4) + t)) // Cholesky factors, f³/6 each
	}
	return features + gram + solve + float64(valid*f*t*l) + float64(f/2*in*min(in, f/2)) + 2e6
}
