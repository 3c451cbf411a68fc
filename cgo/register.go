//go:build cgo && openblas

package openblas

import "github.com/rffgo/rff/blas"

func init() {
	p := &products{}
	blas.Register(blas.NewLevel3("openblas", p, p))
}
