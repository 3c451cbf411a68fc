//go:build cgo && openblas

package openblas

import (
	"runtime"
	"sync"

	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/netlib/blas/netlib"
)

// products are netlib's, a bounded number of them at a time.
type products struct {
	netlib.Implementation
	once sync.Once
	free chan struct{}
}

// maxProducts bounds the products in flight on large machines: OpenBLAS keeps
// two buffers for each of the threads it was built for, 64 in Debian, and a
// product takes one.
const maxProducts = 64

// enter waits until a product may start.
func (p *products) enter() {
	p.once.Do(func() {
		p.free = make(chan struct{}, min(runtime.GOMAXPROCS(0), maxProducts))
		singleThreaded()
	})
	p.free <- struct{}{}
}

func (p *products) leave() { <-p.free }

func (p *products) Dgemm(tA, tB gblas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	p.enter()
	defer p.leave()
	p.Implementation.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

func (p *products) Dsyrk(ul gblas.Uplo, t gblas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	p.enter()
	defer p.leave()
	p.Implementation.Dsyrk(ul, t, n, k, alpha, a, lda, beta, c, ldc)
}

func (p *products) Dtrsm(s gblas.Side, ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	p.enter()
	defer p.leave()
	p.Implementation.Dtrsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

func (p *products) Sgemm(tA, tB gblas.Transpose, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	p.enter()
	defer p.leave()
	p.Implementation.Sgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

func (p *products) Ssyrk(ul gblas.Uplo, t gblas.Transpose, n, k int, alpha float32, a []float32, lda int, beta float32, c []float32, ldc int) {
	p.enter()
	defer p.leave()
	p.Implementation.Ssyrk(ul, t, n, k, alpha, a, lda, beta, c, ldc)
}

func (p *products) Strsm(s gblas.Side, ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, m, n int, alpha float32, a []float32, lda int, b []float32, ldb int) {
	p.enter()
	defer p.leave()
	p.Implementation.Strsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}
