package rff

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/basis"
	"github.com/rffgo/rff/internal/limit"
	"github.com/rffgo/rff/internal/portable"
	"github.com/rffgo/rff/internal/reach"
)

// Form is the way a stationary kernel's frequencies become columns; "" is CosSin.
type Form string

const (
	// CosSin has two columns per frequency, (1/√F)[cos ωᵢᵀx …, sin ωᵢᵀx …], so
	// z(x)ᵀz(x) = 1 exactly: the default, with a lower variance than CosBias at
	// the same number of columns and half its cost.
	CosSin Form = "pair"
	// CosBias has one column per frequency, √(2/F)·cos(ωᵢᵀx + bᵢ), b uniform on [0, 2π).
	CosBias Form = "phase"
)

// fn returns the function of the form's columns.
func (f Form) fn() asm.Func {
	if f == CosBias {
		return asm.Cos
	}
	return asm.CosSin
}

// check returns a *ParameterError for an unknown form.
func (f Form) check() error {
	if f != "" && f != CosSin && f != CosBias {
		return unknown("form", string(f), string(CosSin), string(CosBias))
	}
	return nil
}

// frequencies returns the number of frequencies F behind that many feature
// columns, or a *ParameterError: features must be positive, and even for CosSin.
func (f Form) frequencies(features int) (int, error) {
	if err := f.check(); err != nil {
		return 0, err
	}
	switch {
	case features < 1 || features > limit.Elements:
		return 0, &ParameterError{Name: "features", Value: features, Need: fmt.Sprintf("must be from 1 to %d", limit.Elements)}
	case f == CosBias:
		return features, nil
	case features%2 != 0:
		return 0, &ParameterError{Name: "features", Value: features, Need: "counts columns, and the CosSin form has a cosine and a sine per frequency: use an even number"}
	}
	return features / 2, nil
}

// equalWeights returns the amplitudes of the columns of F frequencies of equal weight:
// 1/√F for cosines and sines, √(2/F) for cosines with phases.
func equalWeights(fn asm.Func, frequencies int) []float64 {
	amplitude := 1 / math.Sqrt(float64(frequencies))
	if fn == asm.Cos {
		amplitude = math.Sqrt(2 / float64(frequencies))
	}
	return slices.Repeat([]float64{amplitude}, frequencies*fn.Outputs())
}

// Map is a feature map z: Rᵈ → Rˢ. It is immutable and safe for concurrent use.
type Map struct {
	kernel Kernel
	engine blas.Engine
	*packed
}

// packed is what the copies of a map for several engines share.
type packed struct {
	spec        *blas.Spec // of the base, if there is one
	once64      sync.Once
	f64         *blas.Features[float64]
	once32      sync.Once
	f32         *blas.Features[float32]
	onceHash    sync.Once
	fingerprint string
	base        *packed // nil, or the map whose features change turns into those of this one
	change      *basis.Change
	onceReach   [2]sync.Once
	limits      [2]*reach.Limits // in float64 and float32
}

// New returns Monte Carlo random features of k (Rahimi and Recht, "Random
// features for large-scale kernel machines", NIPS 2007): exactly features
// columns whose frequencies, and for CosBias phases, are drawn from k's spectral
// measure with uniforms from src. The form is CosSin unless one is given.
//
//	m, err := rff.New(rff.NewGaussian(1.5), 16, 1024, rand.NewPCG(1, 2))
//	m, err := rff.New(rff.NewLaplacian(3), 16, 1024, src, rff.CosBias)
//
// Errors are *ParameterError.
func New(k Stationary, dim, features int, src rand.Source, form ...Form) (*Map, error) {
	var columns Form
	switch len(form) {
	case 0:
	case 1:
		columns = form[0]
	default:
		return nil, &ParameterError{Name: "form", Value: form, Need: "must be one form, or none for CosSin"}
	}
	f, err := columns.frequencies(features)
	if err != nil {
		return nil, err
	}
	if err := given("kernel", k == nil); err != nil {
		return nil, err
	}
	if err := given("src", src == nil); err != nil {
		return nil, err
	}
	sp, err := k.Spectrum(dim)
	if err != nil {
		return nil, err
	}
	if !limit.Fits(f, dim) {
		return nil, &ParameterError{Name: "features", Value: features, Need: "asks for more than 16 GiB of frequencies: use fewer, or the samplers sorf and fastfood, which store no matrix"}
	}
	w := blas.NewGeneral[float64](f, dim)
	var phase []float64
	if columns == CosBias {
		phase = make([]float64, f)
	}
	u := make([]float64, sp.Uniforms())
	for i := range f {
		for j := range u {
			u[j] = portable.Uniform(src)
		}
		sp.Quantile(w.Row(i), u)
		if phase != nil {
			phase[i] = 2 * math.Pi * portable.Uniform(src)
		}
	}
	return fromSpec(columns.spec(w, phase, nil), k)
}

// FromFrequencies returns the map of given frequencies: w is F×d, one frequency
// per row, in radians per unit of x. phase has F elements for CosBias and is nil for
// CosSin. weight has one amplitude per frequency or one per column; nil means equal
// amplitudes, 1/√F for CosSin and √(2/F) for CosBias. The values are copied.
//
// Errors: *ParameterError, *ShapeError.
func FromFrequencies(w mat.Matrix, phase, weight []float64, f Form) (*Map, error) {
	if err := checkMatrix("w", w); err != nil {
		return nil, err
	}
	rows, d := w.Dims()
	if err := f.check(); err != nil {
		return nil, err
	}
	if f != CosBias && phase != nil {
		return nil, &ParameterError{Name: "phase", Need: "belongs to the CosBias form; the CosSin form needs none"}
	}
	if f == CosBias && len(phase) != rows {
		return nil, &ShapeError{Name: "phase", Rows: len(phase), Cols: 1, WantRows: rows, WantCols: 1}
	}
	full := blas.NewGeneral[float64](rows, d)
	copyRows(full, w, 0)
	columns := [][]float64{weight} // of no weights, Concat makes nil
	if len(weight) == rows && f != CosBias {
		columns = [][]float64{weight, weight}
	}
	return fromSpec(f.spec(full, slices.Concat(phase), slices.Concat(columns...)), nil)
}

// spec returns the specification of frequencies w in form f; nil weights are equal ones.
func (f Form) spec(w blas.General[float64], phase, weight []float64) *blas.Spec {
	return &blas.Spec{Dim: w.Cols, W: w, Phase: phase, Func: f.fn(), Weight: weight}
}

// fromSpec is internal/inside.New.
func fromSpec(s *blas.Spec, kernel Kernel) (*Map, error) {
	if err := (blas.Engine{}).Check(); err != nil {
		return nil, err
	}
	if err := given("spec", s == nil); err != nil {
		return nil, err
	}
	spec := *s
	field, value, need := spec.Check()
	if field == "Weight" && spec.Weight == nil && (spec.Func == asm.Cos || spec.Func == asm.CosSin) {
		spec.Weight = equalWeights(spec.Func, spec.Frequencies())
		field, value, need = spec.Check()
	}
	if need != "" {
		return nil, &ParameterError{Name: called(&spec, field), Value: value, Need: need}
	}
	return &Map{kernel: kernel, packed: pack(&spec)}, nil
}

// called returns the name that users know a field of s by, or an element of it.
func called(s *blas.Spec, field string) string {
	w := "frequencies"
	if s.Func.Section() {
		w = "landmarks"
	}
	for _, n := range [][2]string{{"Walsh", "spec.Walsh"}, {"Weight", "weight"}, {"W", w}, {"Phase", "phase"}, {"Dim", "inputs"}} {
		if rest, ok := strings.CutPrefix(field, n[0]); ok {
			return n[1] + rest
		}
	}
	return "spec." + field
}

// made returns m, and panics if m is nil or the zero Map.
func (m *Map) made() *Map {
	if m == nil || m.packed == nil {
		panic(errNoMap)
	}
	return m
}

// Dims returns the number of inputs d and of feature columns s.
func (m *Map) Dims() (in, out int) { return m.made().spec.Dim, m.spec.Outputs() }

// Kernel returns the kernel the map approximates, or nil for none.
func (m *Map) Kernel() Kernel { return m.made().kernel }

// features64 returns the map packed for float64.
func (m *Map) features64() *blas.Features[float64] {
	m.made().once64.Do(func() { m.f64 = blas.Pack[float64](m.full()) })
	return m.f64
}

// features32 returns the map packed for float32.
func (m *Map) features32() *blas.Features[float32] {
	m.made().once32.Do(func() { m.f32 = blas.Pack[float32](m.full()) })
	return m.f32
}
