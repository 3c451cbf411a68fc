package race

import (
	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/sampling"
)

// uniformRows and pickedRows are the ways to choose landmarks. uniformRows gives every row the
// same chance. It costs little, and ranks kernels and bandwidths just as well. pickedRows
// chooses rows apart from each other, which suits narrow kernels.
var (
	uniformRows = sampling.Nystrom{Pick: "uniform"}
	pickedRows  = sampling.Nystrom{Pick: "rpcholesky"}
)

// sectionKernels returns the kernels that have sections, and Radial.
func (r *Race) sectionKernels() []int {
	var out []int
	for i, k := range r.Kernels {
		if _, err := rff.Nystrom(k, mat.NewDense(1, r.in, nil)); err == nil {
			out = append(out, i)
		}
	}
	if r.Radial != nil && len(out) > 0 {
		out = append(out, r.add(r.Radial, out[0]))
		r.Radial = nil
	}
	return out
}

// add appends a kernel with the medians of the Euclidean distance.
func (r *Race) add(k rff.Stationary, like int) int {
	r.Kernels = append(r.Kernels, k)
	for i, m := range r.medians {
		r.medians[i] = append(m, m[like])
	}
	return len(r.Kernels) - 1
}
