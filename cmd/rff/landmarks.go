package main

import (
	"github.com/rffgo/rff"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/stream"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// noteJitter prints a note if landmarks are nearly alike.
func noteJitter(s *stdio, m *rff.Map) {
	if _, change := inside.Split(m); change.Jitter() > 1e-11 {
		s.note("landmarks are nearly alike at this bandwidth: %.2g was added to the diagonal of their kernel matrix", change.Jitter())
	}
}

// notePrecision prints a note if the features of m are not fitted in the precision that was asked
// for.
func notePrecision(s *stdio, l *learnFlags, m *rff.Map, fitted krr.Precision) {
	asked := stream.Named(string(l.precision))
	switch {
	case fitted == l.precision:
	case asked.For(m) == asked:
		s.note("rounding errors of sums in %s hide the λ that was chosen: fitted in %s", asked.Short, stream.Named(string(fitted)).Short)
	case fitted == krr.Float32:
		s.note("the features are fitted in f32: sums of integers take features of cosines")
	default:
		s.note("landmarks are fitted in f64: their kernel takes the digits that f32 has")
	}
}

// noteSearch prints a note if the bandwidth of landmarks was searched with other features.
func noteSearch(s *stdio, l *learnFlags, by *samplerFlags) {
	if _, landmarks := by.sampler.(sampling.Nystrom); !landmarks || l.rule != fits.SearchedBandwidth {
		return
	}
	if k, err := rff.ParseKernel(l.kernel); err != nil || bandwidthGiven(k) {
		return
	}
	s.note("the bandwidth was searched with random features of the kernel: --auto searches with the landmarks, and other kernels too")
}

// bandwidthGiven reports whether k has its bandwidth, or takes none.
func bandwidthGiven(k rff.Kernel) bool {
	_, err := rff.WithBandwidth(k, 1)
	return err != nil
}
