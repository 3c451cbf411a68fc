package krr

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/classes"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/internal/ridge"
	"github.com/rffgo/rff/internal/safetensors"
	"github.com/rffgo/rff/krr/internal/calibration"
)

// SetAvailable replaces what the machine has of memory, in bytes, and has every fit ask
// for it; restore it with what it returns.
func SetAvailable(n int64) (restore func()) {
	was, least := availableMemory, unasked
	availableMemory, unasked = func() int64 { return n }, 0
	return func() { availableMemory, unasked = was, least }
}

// CheckMemory is hook.CheckMemory.
func CheckMemory(data rff.Schema, features int, by rff.Sampler, s Settings) error {
	return hook.CheckMemory(data, features, by, s)
}

// PredictBatch is hook.PredictBatch.
func PredictBatch(m *Model, dst, x rff.Matrix) error { return m.predictBatch(dst, x) }

// Drawn returns weights, targets, groups and indices of a sample of rows.
func Drawn(ctx context.Context, data rff.Source, count int, s *Settings) (w []float64, y blas.General[float64], group []uint64, index []int64, err error) {
	m, _, err := (&AutoSettings{Fit: *s}).draw(ctx, data, count)
	if err != nil {
		return nil, y, nil, nil, err
	}
	return m.Weight, m.Y, m.Group, m.Index, nil
}

// Seal returns a file of tensors with the checksum that its content should
// have, so that fuzzing gets past it.
func Seal(file []byte) []byte {
	const key = `"sha256":"`
	b := bytes.Clone(file)
	if len(b) < 8 {
		return b
	}
	n := min(binary.LittleEndian.Uint64(b), uint64(len(b)-8))
	i := bytes.Index(b[:8+n], []byte(key))
	if i < 0 || i+len(key)+64 > len(b) {
		return b
	}
	at := b[i+len(key):][:64]
	copy(at, strings.Repeat("0", 64))
	h := sha256.Sum256(b)
	hex.Encode(at, h[:])
	return b
}

// MarshalWith returns g's file with another tensor of that name, none for nil.
func MarshalWith(g *Gram, name string, v []float64) []byte {
	t := g.tensors()
	t.List = slices.DeleteFunc(t.List, func(e safetensors.Tensor) bool { return e.Name == name })
	t.Add(name, v)
	b, err := t.Bytes()
	if err != nil {
		panic(err)
	}
	return b
}

// SolveEigen solves by the fallback, and returns F with FᵀF = (A + nλI)⁻¹ too.
func SolveEigen(g *Gram, lambda float64) (coef, root blas.General[float64], info Solved, err error) {
	s, err := g.system([]float64{lambda})
	if err != nil {
		return coef, root, info, err
	}
	coef, f, how, err := s.SolveEigen(inside.Engine(g.m), lambda, ridge.Solved{})
	if err != nil {
		return coef, root, info, err
	}
	return coef, f(), solvedOf(how), nil
}

// NextJitter is what is added to a diagonal next.
func NextJitter(jitter, errs float64) float64 { return ridge.NextJitter(jitter, errs) }

// CheckpointWith returns a checkpoint with another tensor of that name.
func CheckpointWith(file []byte, name string, v []float64) ([]byte, error) {
	p, err := readTensors("checkpoint", bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, err
	}
	t := newTensors("checkpoint")
	maps.Copy(t.Meta, p.Meta)
	t.List = slices.DeleteFunc(p.Tensors(), func(e safetensors.Tensor) bool { return e.Name == name })
	t.Add(name, v)
	return t.Bytes()
}

// Calibrate lets tests compare a fit's probabilities with those of scores they
// have made: a model that has nothing but them, and how it does on held-out rows.
func Calibrate(scores blas.General[float64], class, fold []int, folds int, weight []float64, classes int) (*Model, *Measures, error) {
	s := &calibration.Rows{Classes: classes, Scores: scores, Class: class, Fold: fold}
	s.Weigh(weight, nil)
	ctx, e := context.Background(), blas.Engine{}
	c, err := calibration.Fit(ctx, e, s, nil)
	if err != nil {
		return nil, nil, err
	}
	h, err := s.HeldOut(ctx, e, folds, c)
	return &Model{cal: c, schema: rff.Schema{Target: rff.Target{Classes: make([]string, classes)}}, intercept: make([]float64, scores.Cols)}, &Measures{Rows: int64(len(class)), Accuracy: h.Accuracy, Loss: []float64{h.LogLoss}}, err
}

// ClassTargets codes the indices of k classes as targets.
func ClassTargets(class []int, k int) blas.General[float64] { return classes.Targets(class, k) }

// Parts lets tests look into a Gram.
func (g *Gram) Parts() []string { return g.allParts() }

// Need is what CheckMemory counts.
func Need(inputs, features, targets int, rows int64, landmarks bool, s Settings) float64 {
	p, _ := s.Precision.described()
	return extent{inputs: inputs, features: features, targets: targets, rows: rows, changed: landmarks, precision: p.On(landmarks)}.memory(s)
}

// Sized is the schema of that many inputs, targets and rows; −1 rows are not known.
func Sized(inputs, targets int, rows int64) rff.Schema {
	return rff.Schema{Inputs: make([]rff.Column, inputs), Target: rff.Target{Columns: targets}, Rows: max(0, rows)}
}

// Range lets tests compare what predictions are confined to.
func (m *Model) Range() (lo, hi []float64) { return m.lo, m.hi }

// MarshalBinary returns the file of a model.
func (m *Model) MarshalBinary() ([]byte, error) { return m.tensors().Bytes() }

// MarshalBinary returns the file of a Gram.
func (g *Gram) MarshalBinary() ([]byte, error) { return g.tensors().Bytes() }

// UnmarshalBinary reads a file whose size is known. On an error m is unchanged.
func (m *Model) UnmarshalBinary(data []byte) error {
	n, err := readModel(bytes.NewReader(data), int64(len(data)))
	if err == nil {
		*m = *n
	}
	return err
}

// UnmarshalBinary reads a file whose size is known. On an error g is unchanged.
func (g *Gram) UnmarshalBinary(data []byte) error {
	return g.read(bytes.NewReader(data), int64(len(data)))
}

// SetClasses is that of the schema of GramSettings.
func (g *Gram) SetClasses(classes []string) error { return g.setClasses(classes) }

// DefaultLambdas is the default grid.
func DefaultLambdas() []float64 { return defaultLambdas() }

// Sums returns the sums of a Gram.
func (g *Gram) Sums() *blas.Sums {
	s, _ := hook.Sums(g)
	return s
}

// Reference is what is subtracted from the targets of a Gram.
func (g *Gram) Reference() []float64 {
	_, r := hook.Sums(g)
	return r
}

// ForgetParts lets tests merge parts twice.
func (g *Gram) ForgetParts() { g.forgetParts() }

// MeanOf is the model whose scores are a weighted sum of those of others.
func MeanOf(models []*Model, weight []float64) *Model { return meanOf(models, weight) }

// PartsOf returns the models of a mean one by one, with the intercept of all or none.
func PartsOf(m *Model) []*Model {
	first := *m
	first.by, first.beside = m.by.(*sum).first, nil
	return append([]*Model{&first}, m.beside...)
}

// StepsOf returns the steps of a search with all that was measured of them.
func StepsOf(r *Report) []hook.Step { return r.search.Steps }

// SearchOf returns what a search tried and chose.
func SearchOf(r *Report) *hook.Search { return r.search }

// KeptOf returns the root mean square of the residuals of the rows that a model compares new ones with, and whether the
// model was fitted to these.
func KeptOf(m *Model) (residual float64, fitted bool) {
	var sum, n float64
	for i, w := range m.sample.weight {
		for _, v := range m.sample.residual.Row(i) {
			sum, n = sum+w*v*v, n+w
		}
	}
	return math.Sqrt(sum / n), m.sample.turned != nil
}

// HardOf returns how many rows a rule counted more often.
func HardOf(r *Report) int64 { return r.hard }

// WeightOf returns Σw of the rows of a fit.
func WeightOf(r *Report) float64 { return r.weight }

// FeaturesOf returns the number of features of a fit.
func FeaturesOf(r *Report) int { return r.features }

// LeastLambda returns the smallest λ that a search tried.
func LeastLambda(r *Report) float64 { return r.search.LeastLambda }

func SolveEach(g *Gram, ctx context.Context, lambda []float64, variance bool) (*Model, error) {
	return g.solve(ctx, lambda, variance)
}

// InfoOf returns what the model of a fit says of itself.
func InfoOf(r *Report) ModelInfo { return r.info }

// Unresolved returns the λ that the path of a fit has not.
func Unresolved(r *Report) []float64 { return r.unresolved }

// TotalOf returns the error of p summed over the targets.
func TotalOf(p PathPoint) float64 { return totalOf(&p) }

func (s Solved) Dual() bool        { return s.dual }
func (s Solved) Unconverged() bool { return s.unconverged }

// SolvedOf returns how far a fit came that did not reach its tolerance.
func SolvedOf(e *SolveError) Solved { return e.solved }

// RSSOf returns the residual sums of squares of every λ on the rows of a Gram, per target.
func RSSOf(g *Gram, lambdas ...float64) (rss [][]float64) {
	s, err := g.system(lambdas)
	if err != nil {
		panic(err)
	}
	all, err := s.Analyze(context.Background(), inside.Engine(g.m), lambdas, func(float64) {})
	if err != nil {
		panic(err)
	}
	for _, a := range all {
		rss = append(rss, a.RSS)
	}
	return rss
}

// DoubleUnit lets a test write sums of integers in another unit.
func (g *Gram) DoubleUnit() { g.core.Sums().Unit *= 2 }

// SummedAfterCancel reads all rows, cancels the fit, and returns the weight of the rows that it has
// added to sums then. Others wait for their row block to be full.
func SummedAfterCancel(m *rff.Map, data rff.Source, s Settings) (before, after float64, err error) {
	p, err := newProblem(m, data, s)
	if err != nil {
		return 0, 0, err
	}
	d, err := newDirect(p)
	if err != nil {
		return 0, 0, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := d.read(ctx); err != nil {
		return 0, 0, err
	}
	weight := func() (w float64) {
		for _, g := range d.grams {
			w += g.core.Sums().W
		}
		return w
	}
	before = weight()
	cancel()
	_, _, err = d.finish(ctx)
	return before, weight(), err
}
