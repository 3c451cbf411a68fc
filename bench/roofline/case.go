// Package roofline times the operations of package blas against the
// multiply-add roof of the machine it runs on, measured in the same run, and
// checks each result as it goes.
package roofline

import (
	"errors"
	"fmt"
	"strings"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
)

// Case is one operation at one shape on one path.
type Case struct {
	Op      string // one of Ops
	N, D, S int    // rows, inputs, feature columns; see Ops for what they mean to products
	DType   string // "f64" or "f32"
	Workers int
	Form    string // "cos", "pair", "arccos0", "arccos1", "arccos2", "linear"; of sections "gaussian", "laplacian", "power1.5", "matern0.5", "matern1.5", "matern2.5", "cauchy"
	Backend string // "native", "native-avx2" and the like, "gonum", "openblas"
}

// Ops are the operations and what n, d and s are to them.
var Ops = []struct{ Name, Summary string }{
	{"features", "z = f(Wx+b): n rows of d inputs to s columns"},
	{"sections", "features of landmarks, z = k(x, c): n rows of d inputs to s columns"},
	{"scores", "yᵀZ of one target over n rows, Z not stored"},
	{"gram", "ZᵀZ, Zᵀy and sums of a stream of n rows, Z not stored"},
	{"fit", "gram, then Cholesky and the solution"},
	{"backward", "an epoch of training s/2 frequencies and the coefficients of one target: gradient and Adam, batches of 256"},
	{"predict", "n predictions of one target from s features"},
	{"gemm", "C = A·B: n×d times d×s"},
	{"syrk", "C = AᵀA: A is n×s"},
	{"cholesky", "A = UᵀU: A is s×s"},
	{"hadamard", "n Walsh–Hadamard transforms of length s, a power of two"},
}

// CaseError says which part of a Case is wrong.
type CaseError struct{ Name, Value, Need string }

func (e *CaseError) Error() string {
	return fmt.Sprintf("bench: %s is %q: %s", e.Name, e.Value, e.Need)
}

var forms = map[string]asm.Func{
	"cos": asm.Cos, "pair": asm.CosSin, "linear": asm.Linear,
	"arccos0": asm.ArcCos0, "arccos1": asm.ArcCos1, "arccos2": asm.ArcCos2,
	"gaussian": asm.SectionGaussian, "laplacian": asm.SectionGaussian, "power1.5": asm.SectionGaussian, "matern0.5": asm.SectionExponential, "matern1.5": asm.SectionMatern3,
	"matern2.5": asm.SectionMatern5, "cauchy": asm.SectionCauchy,
}

// DefaultForm returns the form of the features of an operation.
func DefaultForm(op string) string {
	if op == "sections" {
		return "gaussian"
	}
	return "pair"
}

func (c Case) check() error {
	known := false
	var names []string
	for _, o := range Ops {
		known = known || o.Name == c.Op
		names = append(names, o.Name)
	}
	if !known {
		return &CaseError{"op", c.Op, "must be one of " + strings.Join(names, ", ")}
	}
	if c.DType != "f64" && c.DType != "f32" {
		return &CaseError{"dtype", c.DType, "must be f64 or f32"}
	}
	f, ok := forms[c.Form]
	if !ok {
		return &CaseError{"form", c.Form, "must be cos, pair, arccos0, arccos1, arccos2, linear, gaussian, laplacian, power1.5, matern0.5, matern1.5, matern2.5 or cauchy"}
	}
	if c.Op == "sections" && !f.Section() {
		return &CaseError{"form", c.Form, "must be gaussian, laplacian, power1.5, matern0.5, matern1.5, matern2.5 or cauchy for sections"}
	}
	for _, v := range []struct {
		name  string
		value int
	}{{"n", c.N}, {"d", c.D}, {"s", c.S}, {"workers", c.Workers}} {
		if v.value < 1 {
			return &CaseError{v.name, fmt.Sprint(v.value), "must be at least 1"}
		}
	}
	if c.S%f.Outputs() != 0 {
		return &CaseError{"s", fmt.Sprint(c.S), "must be even in the pair form"}
	}
	if c.Op == "backward" && c.S%2 != 0 {
		return &CaseError{"s", fmt.Sprint(c.S), "must be even for backward, whose features are pairs"}
	}
	if c.Op == "hadamard" && c.S&(c.S-1) != 0 {
		return &CaseError{"s", fmt.Sprint(c.S), "must be a power of two for hadamard"}
	}
	return nil
}

// engine returns where c runs and the full name of its path.
func (c Case) engine() (blas.Engine, string, error) {
	b, err := blas.Lookup(Backend(c.Backend))
	if err != nil {
		return blas.Engine{}, "", err
	}
	name := b.Name()
	if strings.HasPrefix(c.Backend, "native-") {
		name = c.Backend
	} else if name == "native" {
		name += "-" + asm.Native[float64]().ISA
	}
	return blas.Engine{Backend: b, Workers: c.Workers}, name, nil
}

// Backend returns the name, for blas.Lookup and rff.Engine, of the backend of a path.
func Backend(path string) string { return strings.Replace(path, "native-", "native:", 1) }

// Paths returns the backends that run here, each instruction set of the native
// one on its own, fastest first.
func Paths() []string {
	var paths []string
	for _, k := range asm.All[float64]() {
		paths = append(paths, "native-"+k.ISA)
	}
	for _, b := range blas.Backends() {
		if b != "native" {
			paths = append(paths, b)
		}
	}
	return paths
}

var errNoRoof = errors.New("bench: this machine's multiply-add roof could not be measured")
