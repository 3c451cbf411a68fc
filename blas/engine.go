package blas

import (
	"cmp"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/internal/schedule"
)

// Engine says where matrix work runs: on which backend and with how many
// workers. The zero Engine is the default: the backend of Lookup(""), one
// worker per processor. It is a value; copies are independent.
//
// A nil Backend is resolved at first use. If the environment asks for something that this
// build lacks, Check returns an error.
type Engine struct {
	Backend Backend // nil: the default backend
	Workers int     // 0: runtime.GOMAXPROCS(0)

	eager bool // wake workers for any amount of work: for tests
}

// Backend is one implementation of the matrix work. Package blas does the blocking of rows,
// the cosine and the goroutines for all backends. A backend other than the native one lends
// it products, which package blas calls from several goroutines at once.
type Backend interface {
	// Name is the word by which users select the backend: "native", "gonum", "openblas".
	Name() string
	// Exact reports whether results are those of the reference kernels to the last bit, for
	// any number of workers.
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

// Elementwise is implemented by Products that bring their own function of the projections. It
// has the contract of asm.Kernels.Apply, but t and phase are in radians. Other Products use
// the native vector kernel.
type Elementwise[T Float] interface {
	Apply(f asm.Func, z, z2, t, phase, weight, weight2 []T)
}

var registry struct {
	sync.Mutex
	backends map[string]Backend
}

// builtIn makes b known to Lookup and returns it.
func builtIn(name string, b Backend) Backend {
	registry.Lock()
	defer registry.Unlock()
	if registry.backends[name] != nil {
		panic(errRegistered)
	}
	if registry.backends == nil {
		registry.backends = map[string]Backend{}
	}
	registry.backends[name] = b
	return b
}

// Register makes b known to Lookup. It is for the package of a backend that is
// built in by a tag. It panics if the name is taken.
func Register(b Backend) { builtIn(b.Name(), b) }

// Backends returns the names of the built-in backends, the native one first.
func Backends() []string {
	registry.Lock()
	defer registry.Unlock()
	names := []string{"native"}
	for n := range registry.backends {
		if n != "native" && !strings.Contains(n, ":") {
			names = append(names, n)
		}
	}
	slices.Sort(names[1:])
	return names
}

// Lookup returns the backend of that name. "" is the backend that the environment variable
// RFF_BACKEND names, or the native one if it names none. "native:go", "native:avx2",
// "native:avx512" and "native:neon" are the native backend on the micro-kernels of one
// instruction set. All four give the same bits; they are for tests and measurements, and
// Backends does not list them. The error is an *asm.SelectError, also if RFF_CPU has a word
// that cannot be obeyed.
func Lookup(name string) (Backend, error) {
	if err := asm.Select(); err != nil {
		return nil, err
	}
	if name == "" {
		return fromEnvironment()
	}
	return lookup(name, "backend")
}

// NewEngine returns an engine with that many workers on the backend that Lookup knows by that
// name. 0 workers stand for runtime.GOMAXPROCS(0). The error is an *asm.SelectError.
func NewEngine(backend string, workers int) (Engine, error) {
	e := Engine{Workers: workers}
	if workers < 0 {
		return e, &asm.SelectError{Setting: "workers", Word: strconv.Itoa(workers), Why: "the number must be positive, or 0 for one per processor"}
	}
	if backend == "" {
		return e, e.Check()
	}
	var err error
	e.Backend, err = Lookup(backend)
	return e, err
}

// lookup returns the backend that setting calls by name.
func lookup(name, setting string) (Backend, error) {
	registry.Lock()
	b := registry.backends[name]
	registry.Unlock()
	if b != nil {
		return b, nil
	}
	why := "built in are: " + strings.Join(Backends(), ", ")
	if name == "openblas" {
		why = "it is not built in: build with -tags openblas, with cgo enabled (CGO_ENABLED=1, a C compiler, pkg-config and the OpenBLAS headers: apt-get install libopenblas-dev pkg-config)"
	}
	return nil, &asm.SelectError{Setting: setting, Word: name, Why: why}
}

// fromEnvironment is the backend of a zero Engine, looked up once.
var fromEnvironment = sync.OnceValues(func() (Backend, error) {
	name := os.Getenv("RFF_BACKEND")
	name = cmp.Or(name, "native")
	return lookup(name, "RFF_BACKEND")
})

// Check returns an *asm.SelectError if e cannot obey the environment: a word of RFF_CPU or, if
// e has no Backend, of RFF_BACKEND. Lookup and every constructor and fit of rff that can
// return an error call Check, so a program need not. Functions of this package that return no
// error run on the native backend in this case.
func (e Engine) Check() error {
	if err := asm.Select(); err != nil {
		return err
	}
	if e.Backend != nil {
		return nil
	}
	_, err := fromEnvironment()
	return err
}

// String names the backend, and says if its results are not reproducible to the last bit.
func (e Engine) String() string {
	if err := e.Check(); err != nil {
		return err.Error()
	}
	b := e.backend()
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
	b, err := fromEnvironment()
	if err != nil {
		b, _ = lookup("native", "backend")
	}
	return b
}

// exact returns e, or the native engine if e has another backend, whose bits are not defined.
func (e Engine) exact() Engine {
	if e.backend().Name() != "native" {
		e.Backend, _ = lookup("native", "backend")
	}
	return e
}

func (e Engine) workers() int { return schedule.Workers(e.Workers) }

// workersFor returns the number of workers for that many multiply-adds in
// tasks indivisible pieces.
func (e Engine) workersFor(work float64, tasks int) int {
	if e.eager {
		return e.workers()
	}
	return schedule.Worthwhile(e.Workers, work, tasks)
}

// Each calls f(share, 0), …, f(share, n−1) on e's workers, in any order, and returns when all
// calls have returned. share is e with an equal share of its workers for each call. Of more calls
// than workers, the last ones, of which there are too few for all workers, come after the others
// and share the workers.
func (e Engine) Each(n int, f func(share Engine, i int)) {
	workers := e.workers()
	last := n % workers
	for _, calls := range [][2]int{{0, n - last}, {n - last, n}} {
		count := calls[1] - calls[0]
		share := e
		share.Workers = max(1, workers/max(1, count))
		schedule.Tasks(workers, count, func(_, i int) { f(share, calls[0]+i) })
	}
}
