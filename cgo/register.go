//go:build cgo && openblas

package openblas

import "github.com/rffgo/rff/blas"

func init() {
	p := &products{}
	blas.Register(backend{blas.NewLevel3("openblas", p, p)})
}

// backend describes itself to programs that list backends.
type backend struct{ blas.Backend }

// Info returns the library's version and choices.
func (backend) Info() string { return Info() }
