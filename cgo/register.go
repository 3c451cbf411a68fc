//go:build cgo && openblas

package openblas

import (
	"gonum.org/v1/netlib/blas/netlib"

	"github.com/rffgo/rff/blas"
)

func init() {
	blas.Register(backend{blas.NewLevel3("openblas", netlib.Implementation{}, netlib.Implementation{}), &gate{}})
}

// backend has the library's products behind a gate, and describes itself to programs that list
// backends.
type backend struct {
	blas.Backend
	gate *gate
}

func (b backend) Float64() blas.Products[float64] { return gated[float64]{b.Backend.Float64(), b.gate} }
func (b backend) Float32() blas.Products[float32] { return gated[float32]{b.Backend.Float32(), b.gate} }

// Info returns the library's version and choices.
func (backend) Info() string { return Info() }
