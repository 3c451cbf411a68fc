package krr

import (
	"cmp"
	"fmt"
	"math"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/ridge"
	"github.com/rffgo/rff/internal/schedule"
	"github.com/rffgo/rff/internal/stream"
	"github.com/rffgo/rff/krr/internal/cg"
	"github.com/rffgo/rff/krr/internal/machine"
	"github.com/rffgo/rff/sampling"
)

// extent is the size of a fit, from which its memory follows.
type extent struct {
	inputs, features, targets int
	rows                      int64 // −1 if not known
	changed                   bool  // features are those of a base, changed; see package basis
	drawn                     bool  // the map exists already, and its memory is taken
	precision                 *stream.Precision
}

// dual reports whether a fit is known to have so few rows that it solves the dual problem.
func (x extent) dual(s Settings) bool {
	return s.fewRows(x.precision) && x.rows >= 0 && x.rows < int64(s.fewerThan(x.precision, x.inputs, x.features))
}

// wideInputs is the least number of inputs per feature of wide rows. Features that are given
// go through a product with the identity, which then takes an eighth of the work of making
// them, or less.
const wideInputs = 16

// makesFeatures reports whether features are made before they are dealt to the folds, which those
// of wide rows are, and those of few rows of a changed map. Checkpoints have rows that wait as
// inputs, and integers are made of features as they are made.
func (x extent) makesFeatures(s Settings) bool {
	return (x.inputs >= wideInputs*x.features || x.sumsChanged(s)) && s.Checkpoint.Path == "" && x.precision.Levels == 0
}

// sumsChanged reports whether the sums are those of the map's own features, and not of its base.
// Changing few rows takes little work, and changing sums of the base multiplies their rounding
// errors by ‖P‖² (package basis), which would hide λ that fit few rows without noise.
func (x extent) sumsChanged(s Settings) bool {
	return x.changed && x.rows >= 0 && x.rows <= int64(x.mostExact()) && s.Gram == nil
}

// mostExact is the number of rows up to which the kernel matrix takes less work than sums,
// where every row has a section. There may be more rows than sections, since rows that are
// alike share one.
func (x extent) mostExact() int { return x.features + x.features/4 }

// memory returns the bytes that a fit takes beside the data: the map, unless it is
// there, the s×s sums of every fold and what choosing λ and solving add to them. It is
// infinite for sizes beyond any machine. A fit by passes keeps to Passes.Memory instead.
func (x extent) memory(s Settings) float64 {
	d, f, t := float64(x.inputs), float64(x.features), float64(x.targets)
	need := 0.0
	if !x.drawn {
		need = float64(8 * f * d) // frequencies
		if x.changed && s.passes() == nil {
			need += float64(8 * f * f) // the change
		}
	}
	if p := s.passes(); p != nil {
		return need + float64(cmp.Or(p.Memory, cg.Memory))
	}
	if x.dual(s) {
		return need + x.dualMemory(s)
	}
	folds, lambdas := s.foldCount(), float64(len(gridOf(s.Lambdas)))
	// Sums, and the rows that wait to be added to them.
	waits := x.inputs
	if x.makesFeatures(s) { // features wait, which are made of few rows at a time and go through an identity
		waits = x.features
		need += float64(8 * (float64(stream.MakerRows*(d+2*f)) + float64(2*f*f)))
	}
	waiting := float64(stream.Chunk(max(1, waits+x.targets), max(1, x.features))+blas.RowBlock) * (float64(waits) + t + 1)
	grams := folds
	if s.addsRows() {
		grams++ // those of the first solution
	}
	sums := float64(grams * (float64(f*f) + float64(f*(float64(float64(x.precision.Columns)*t)+1)) + float64(waiting)))
	// A fold takes a system, its right-hand sides twice, and some coefficients with as many
	// products. Many λ take f² numbers more: a half of them for the reduction to a band, and a
	// half for rows and factors that the garbage collector has not freed. The system itself is
	// then formed only for a λ that the band does not solve.
	one := float64(f*f) + float64(2*f*(t+min(t*lambdas, max(t, ridge.SomeColumns))))
	if lambdas > ridge.FewLambdas {
		one += float64(f * f)
	}
	if s.HeldOut {
		one += float64(f * t * lambdas)
	}
	if s.Gram != nil {
		sums += float64(f*f) + float64(f*(float64(float64(x.precision.Columns)*t)+1))
	}
	work := 0.0
	if folds > 1 {
		work = max(work, float64(min(float64(schedule.Workers(s.Engine.Workers)), folds)*one))
	}
	if lambdas > 1 && !s.crossValidates() {
		all := 2.5 * f * f
		if s.Criterion == LeaveOneOut {
			all = 4 * f * f
		}
		work = max(work, all)
	}
	if s.keepsFactors() {
		// The factors of the chosen λ, which are made when the folds' sums are gone.
		distinct := 1.0
		if s.PerTarget {
			distinct = min(t, lambdas)
		}
		work = max(work, float64((distinct+1)*f*f)-float64((grams-1)*f*f))
		if compares, _ := s.comparesRows(); compares { // the rows, their features, and these turned by every factor
			rows := x.atMost(keptRows)
			sums += float64(rows * (d + 2*t + 4 + float64((distinct+1)*f)))
		}
	}
	if x.changed {
		work += float64(f * f) // the penalty, or the matrix that multiplies the sums; see ridge.Settle
	}
	if s.Checkpoint.Path != "" {
		work = max(work, grams*f*f/2) // the sums in the form that is written
	}
	if s.Probabilities {
		rows := x.atMost(s.mostHeldOut(f, d, t, 0, lambdas, math.Inf(1)))
		sums += float64(rows * (d + float64(3*t) + 3 + float64(t*lambdas))) // t probabilities, or two for one target
	}
	return need + float64(8*(sums+work))
}

// atMost returns how many rows a sample of at most that many has.
func (x extent) atMost(rows float64) float64 {
	if x.rows >= 0 {
		return min(rows, float64(x.rows))
	}
	return rows
}

// bounds limit the sample of held-out rows. work is in multiply-adds. The bound by work is
// never less than least rows.
type bounds struct{ rows, bytes, work, least float64 }

var (
	// With so many rows the standard error of an accuracy is at most 0.3 %.
	measured = bounds{rows: 1 << 15, bytes: 32 << 20, work: 4e9, least: 1000}
	// A slope and a bias per class want more rows: with 26 classes (letter, 512 features)
	// the log loss of new rows is 4 % higher from 4,000 rows than from 15,000.
	calibrated = bounds{rows: 1 << 17, bytes: 128 << 20, work: 2e10, least: 4000}
)

// mostHeldOut returns how many rows the sample of a fit may have, in that many bytes.
func (s *Settings) mostHeldOut(features, inputs, targets, classes, ways, bytes float64) float64 {
	b, perRow := measured, float64(8*(inputs+targets+3))
	switch {
	case s.Probabilities || s.PerTarget && classes > 0:
		b = calibrated
		perRow += float64(8 * targets * ways)
	case classes == 2:
		perRow += float64(24 * ways) // scores, which are kept
	}
	return max(1, min(b.rows, max(b.least, b.work/float64(features*targets*ways)), min(b.bytes, bytes)/perRow))
}

// keptRows bounds the sample of rows for intervals. If there are more rows, the sample keeps
// about half of keptRows or more. Intervals of 90 % from 1,000 rows cover 90 ± .9 % of the new
// rows (one standard deviation over samples).
const keptRows = 2000

// dualMemory returns the bytes of a dual problem: the rows with some of their features, and the
// n×n products, in whose memory a single λ is solved. Several λ take three more n×n matrices,
// for a system, its reduction and the rows left out.
func (x extent) dualMemory(s Settings) float64 {
	d, f, t, n := float64(x.inputs), float64(x.features), float64(x.targets), float64(x.rows)
	some, square := float64(x.precision.Few.Copies*float64(min(blas.BlockK, f))), 1.0
	if x.changed { // all features at once
		some += f
	}
	if !s.oneLambda() {
		square = 4
	}
	return float64(8 * (float64(n*(some+2*d+2*t)) + float64(square*n*n)))
}

// checkMemory is fits.CheckMemory. Fit checks the same before the first row, and again if the
// rows turn out to be too many for the dual problem.
func checkMemory(data rff.Schema, features int, by rff.Sampler, s Settings) error {
	in, targets := data.Dims()
	rows := cmp.Or(data.Rows, -1)
	_, changed := by.(sampling.Nystrom)
	p, err := s.Precision.described()
	if err != nil {
		return err
	}
	return extent{inputs: in, features: features, targets: targets, rows: rows, changed: changed, precision: p.On(changed)}.check(s)
}

// check is checkMemory.
func (x extent) check(s Settings) error {
	need := x.memory(s)
	if need <= unasked {
		return nil
	}
	have := float64(availableMemory())
	if need <= have {
		return nil
	}
	features, few := x.features, x.dual(s)
	passes, without := s.passes(), s
	without.Passes = &Passes{Memory: 1}
	if passes != nil && x.memory(without) <= have {
		return setting("memory", passes.Memory, fmt.Sprintf("with the map of %d features that is %s, and %s are to be had here: set less, or take fewer features", features, bytesText(need), bytesText(have)))
	}
	if passes != nil || few {
		return setting("features", features, fmt.Sprintf("the map and the features of the rows need %s, and %s are to be had here: take fewer features", bytesText(need), bytesText(have)))
	}
	folds := s.foldCount()
	if folds > 2 {
		two := s
		two.Folds = 2
		if x.memory(two) <= have {
			return setting("folds", s.Folds, fmt.Sprintf("the sums of every fold are %d×%d numbers, %s in all, and %s are to be had here: take fewer folds", features, features, bytesText(need), bytesText(have)))
		}
	}
	of, fewer := "", "features"
	if folds > 1 {
		of, fewer = fmt.Sprintf(" of each of %.0f folds and all rows", folds), "features or folds"
	}
	return setting("features", features, fmt.Sprintf("the fit needs %s for the sums%s, %d×%d numbers, and %s are to be had here: take fewer %s, or set Passes", bytesText(need), of, features, features, bytesText(have), fewer))
}

func bytesText(n float64) string {
	switch {
	case n >= 1e18:
		return fmt.Sprintf("%.3g bytes", n)
	case n >= 1e9:
		return fmt.Sprintf("%.1f GB", n/1e9)
	}
	return fmt.Sprintf("%.1f MB", n/1e6)
}

// A fit of at most unasked bytes does not ask the system how much memory there is. A program
// takes as much for itself, and reading the system's answer takes as long as a small fit. It is
// a variable for tests.
var unasked = 16e6

// availableMemory returns the bytes that this process can still have, or MaxInt64 if
// the system does not say. It is a variable for tests.
var availableMemory = machine.Memory
