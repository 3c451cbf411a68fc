package blas

import (
	"os"
	"runtime"
	"sort"
	"strings"
	"sync"

	"github.com/rffgo/rff/asm"
)

// Engine says where matrix work runs: on which backend and with how many
// workers. The zero Engine is the default: the backend of Lookup(""), one
// worker per processor. It is a value; copies are independent.
//
// A zero Backend is resolved at first use. If the environment variable
// RFF_BACKEND names a backend that is not built in, that use panics with the
// *UnknownBackendError that Check returns; programs call Check first.
type Engine struct {
	Backend Backend // nil: the default backend
	Workers int     // 0: runtime.GOMAXPROCS(0)

	eager bool // wake workers for any amount of work: for tests
}

// Backend is one implementation of the matrix work. Package blas does the
// blocking of rows, the cosine and the goroutines for all of them; a backend
// other than the native one lends it products, which it calls from several
// goroutines at once.
type Backend interface {
	// Name is the word users select the backend by: "native", "gonum", "openblas".
	Name() string
	// Exact reports whether results are the twins' to the last bit, for any
	// number of workers.
	Exact() bool
	// Float64 and Float32 return the products of each element type.
	Float64() Products[float64]
	Float32() Products[float32]
}

// Products are the products that a backend provides, on row-major matrices
// whose sizes agree (the caller has checked) and with the meaning of the BLAS.
// With beta = 0 the result is overwritten, whatever it held. Calls are single
// threaded and may come from several goroutines.
type Products[T Float] interface {
	// Gemm computes C = α·op(A)·op(B) + β·C.
	Gemm(transA, transB bool, alpha T, a, b General[T], beta T, c General[T])
	// Syrk computes one triangle of C = α·AᵀA + β·C (trans) or α·AAᵀ + β·C.
	Syrk(upper, trans bool, alpha T, a General[T], beta T, c General[T])
	// TrsmUpper computes B = op(U)⁻¹·B for the upper triangle U.
	TrsmUpper(trans bool, u, b General[T])
}

// Elementwise is implemented by Products that bring their own function of the
// projections, with the contract of asm.Kernels.Apply but t and phase in
// radians. Others use the native vector kernel.
type Elementwise[T Float] interface {
	Apply(f Func, z, z2, t, phase, weight, weight2 []T)
}

// nativeBackend is the engine of this package on one pair of kernel tables.
type nativeBackend struct {
	f64 *asm.Kernels[float64]
	f32 *asm.Kernels[float32]
}

func (*nativeBackend) Name() string { return "native" }
func (*nativeBackend) Exact() bool  { return true }

func (b *nativeBackend) Float64() Products[float64] { return nativeProducts[float64]{b.f64} }
func (b *nativeBackend) Float32() Products[float32] { return nativeProducts[float32]{b.f32} }

type nativeProducts[T Float] struct{ k *asm.Kernels[T] }

func (p nativeProducts[T]) Gemm(transA, transB bool, alpha T, a, b General[T], beta T, c General[T]) {
	gemm(p.k, 1, full, transA, transB, alpha, a, b, beta, c)
}

func (p nativeProducts[T]) Syrk(upper, trans bool, alpha T, a General[T], beta T, c General[T]) {
	gemm(p.k, 1, triangleOf(upper), trans, !trans, alpha, a, a, beta, c)
}

func (p nativeProducts[T]) TrsmUpper(trans bool, u, b General[T]) { trsm(p.k, 1, trans, u, b) }

var native = sync.OnceValue(func() *nativeBackend { return &nativeBackend{nativeKernels[float64](), nativeKernels[float32]()} })

// NativeOn returns the native backend on the micro-kernels of one instruction
// set: "go", "avx2", "avx512", "neon". All give the same bits; it is for tests
// and measurements.
func NativeOn(isa string) (Backend, error) {
	var b nativeBackend
	var known []string
	for _, k := range allKernels[float64]() {
		known = append(known, k.ISA)
		if k.ISA == isa {
			b.f64 = k
		}
	}
	for _, k := range allKernels[float32]() {
		if k.ISA == isa {
			b.f32 = k
		}
	}
	if b.f64 == nil || b.f32 == nil {
		return nil, &UnknownBackendError{Name: "native/" + isa, Hint: "instruction sets of this processor and build: " + strings.Join(known, ", ")}
	}
	return &b, nil
}

var registry struct {
	sync.Mutex
	backends map[string]Backend
}

// Register makes b known to Lookup. It is for the package of a backend that is
// built in by a tag. It panics if the name is taken.
func Register(b Backend) {
	registry.Lock()
	defer registry.Unlock()
	if n := b.Name(); n == "native" || n == "gonum" || registry.backends[n] != nil {
		panic(errRegistered)
	}
	if registry.backends == nil {
		registry.backends = map[string]Backend{}
	}
	registry.backends[b.Name()] = b
}

// Backends returns the names of the backends built in.
func Backends() []string {
	registry.Lock()
	defer registry.Unlock()
	names := []string{"native", "gonum"}
	for n := range registry.backends {
		names = append(names, n)
	}
	sort.Strings(names[2:])
	return names
}

// Lookup returns the backend of that name; "" is the one that the environment
// variable RFF_BACKEND names, or else the native one. The error is an
// *UnknownBackendError.
func Lookup(name string) (Backend, error) {
	if name == "" {
		return fallback()
	}
	return lookup(name)
}

func lookup(name string) (Backend, error) {
	switch name {
	case "native":
		return native(), nil
	case "gonum":
		return gonumBackend{}, nil
	}
	registry.Lock()
	b := registry.backends[name]
	registry.Unlock()
	if b != nil {
		return b, nil
	}
	hint := "built in are: " + strings.Join(Backends(), ", ")
	if name == "openblas" {
		hint = "build with -tags openblas, with cgo enabled (CGO_ENABLED=1, a C compiler, pkg-config and the OpenBLAS headers: apt-get install libopenblas-dev pkg-config)"
	}
	return nil, &UnknownBackendError{Name: name, Hint: hint}
}

// fallback is the backend of a zero Engine, looked up once.
var fallback = sync.OnceValues(func() (Backend, error) {
	name := os.Getenv("RFF_BACKEND")
	if name == "" {
		name = "native"
	}
	b, err := lookup(name)
	if e, ok := err.(*UnknownBackendError); ok {
		e.Hint = "set by RFF_BACKEND; " + e.Hint
	}
	return b, err
})

// Check returns the error that using e would meet: an *UnknownBackendError if
// RFF_BACKEND names a backend that is not built in.
func (e Engine) Check() error {
	if e.Backend != nil {
		return nil
	}
	_, err := fallback()
	return err
}

// String names the backend, and says so if its results are not reproducible to
// the last bit.
func (e Engine) String() string {
	b := e.Backend
	if b == nil {
		var err error
		if b, err = fallback(); err != nil {
			return err.Error()
		}
	}
	if !b.Exact() {
		return b.Name() + ", not bit-reproducible"
	}
	return b.Name()
}

// backend returns e's backend, resolving the default.
func (e Engine) backend() Backend {
	if e.Backend != nil {
		return e.Backend
	}
	b, err := fallback()
	if err != nil {
		panic(err)
	}
	return b
}

func (e Engine) workers() int {
	if e.Workers > 0 {
		return e.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// Each calls f(0, …), …, f(n−1, …) on e's workers, in any order, and returns when
// all have. It gives them e with the share of its workers that is theirs.
func (e Engine) Each(n int, f func(share Engine, i int)) {
	share := e
	share.Workers = max(1, e.workers()/max(1, n))
	parallel(e.workers(), n, func(_, i int) { f(share, i) })
}

// kernelsOf returns the kernel table of e for T, or nil if its backend is not
// the native one.
func kernelsOf[T Float](e Engine) *asm.Kernels[T] {
	b, ok := e.backend().(*nativeBackend)
	if !ok {
		return nil
	}
	var t T
	if _, ok := any(t).(float64); ok {
		return any(b.f64).(*asm.Kernels[T])
	}
	return any(b.f32).(*asm.Kernels[T])
}

// productsOf returns the products of e's backend for T.
func productsOf[T Float](e Engine) Products[T] {
	b := e.backend()
	var t T
	if _, ok := any(t).(float64); ok {
		return any(b.Float64()).(Products[T])
	}
	return any(b.Float32()).(Products[T])
}
