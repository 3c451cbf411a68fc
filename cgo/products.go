//go:build cgo && openblas

package openblas

import (
	"runtime"
	"sync"

	"github.com/rffgo/rff/blas"
)

// gate lets a bounded number of products run at a time.
type gate struct {
	once sync.Once
	free chan struct{}
}

// maxProducts bounds the products in flight on large machines: OpenBLAS keeps
// two buffers for each of the threads it was built for, 64 in Debian, and a
// product takes one.
const maxProducts = 64

// enter waits until a product may start.
func (g *gate) enter() {
	g.once.Do(func() {
		g.free = make(chan struct{}, min(runtime.GOMAXPROCS(0), maxProducts))
		singleThreaded()
	})
	g.free <- struct{}{}
}

func (g *gate) leave() { <-g.free }

// gated are products behind a gate.
type gated[T blas.Float] struct {
	blas.Products[T]
	*gate
}

func (p gated[T]) Gemm(transA, transB bool, alpha T, a, b blas.General[T], beta T, c blas.General[T]) {
	p.enter()
	defer p.leave()
	p.Products.Gemm(transA, transB, alpha, a, b, beta, c)
}

func (p gated[T]) Syrk(upper, trans bool, alpha T, a blas.General[T], beta T, c blas.General[T]) {
	p.enter()
	defer p.leave()
	p.Products.Syrk(upper, trans, alpha, a, beta, c)
}

func (p gated[T]) TrsmUpper(trans bool, u, b blas.General[T]) {
	p.enter()
	defer p.leave()
	p.Products.TrsmUpper(trans, u, b)
}
