// Package hook holds what package rff lends to internal/inside, which gives it types, and
// dataset and krr to programs and modules beside the library. The functions take and return
// *rff.Map, rff.Kernel, *krr.Gram and the like as any: their packages import this one.
package hook

import (
	"context"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/basis"
	"github.com/rffgo/rff/internal/measure"
	"github.com/rffgo/rff/internal/reach"
)

// Set by package rff. See internal/inside.
var (
	New        func(s *blas.Spec, kernel any) (any, error)
	Spec       func(m any) *blas.Spec
	Reach      func(m any, single bool) *reach.Limits
	Trees      func(m any) int
	Features64 func(m any) *blas.Features[float64]
	Features32 func(m any) *blas.Features[float32]
	Split      func(m any) (base any, c *basis.Change)
	Sections   func(k any, c blas.General[float64]) (any, error)
	Engine     func(m any) blas.Engine
	EngineOf   func(e any) (blas.Engine, error)
	On         func(m any, e blas.Engine) any
	Widened    func(k any, factor float64) (any, error)
	FamilyOf   func(k any, dim int) any // a Family of rff.Stationary

	Frequencies func(form string, features int) (int, error)
	KernelNames func() []string
	Unknown     func(name string, value any, known ...string) error

	Width       func(column any) int
	Title       func(schema any, i int) string
	CheckSchema func(schema any, in int) error
)

// Family is what a kernel has in common with those of other bandwidths.
type Family[K any] struct {
	Name       string    // "gaussian"; empty for a program's own kernel
	Bandwidths []float64 // one for all dimensions or one for each; none if the kernel leaves them open
	// With returns the kernel of other bandwidths; nil for a kernel without.
	With func(bandwidths []float64) K
	// Slope is φ'(r)/r of a kernel φ(r) of the Euclidean distance r of points over their
	// bandwidths; nil if the kernel is no such function here.
	Slope func(r float64) float64
	// Power, if it is not 0, is the p of a kernel exp(−Σ|xⱼ−yⱼ|ᵖ) of such points.
	Power float64
}

// Set by package sampling.
var (
	KernelFor func(sampler, k any) any
	Work      func(sampler any, t Task) float64
	// Another returns a *sampling.Learned that has the metric of another one, or nil.
	Another  func(ctx context.Context, of, sampler, request any) (any, error)
	Samplers func() []string
	Summary  func(name string) (summary, options string)
)

// Task is the size of what a sampler is asked for.
type Task struct {
	Rows, In, Targets, Features int
	Flags                       bool // some input takes few values
	Another                     bool // the metric is known: there is no search for it
}

// Set by package krr.
var (
	// Sums returns the sums of the features and targets of all rows of a *krr.Gram, which
	// must not be modified, and the reference that is subtracted from every target before
	// it is summed, nil as long as there are no rows.
	Sums func(g any) (*blas.Sums, []float64)
	// ForgetParts makes a *krr.Gram forget which saved parts its rows came in.
	ForgetParts func(g any)
)

// Reading is what only the programs of this module set of dataset.Options.
type Reading struct {
	// Part says that the files are a part of a data set, whose rows may all be of one
	// class.
	Part bool
	// MaxColumns bounds the columns of a file, and a line of text to 64 bytes for each. 0:
	// 65,536, or dataset.Options.Width if that is more; at most 1,048,576.
	MaxColumns int
	// Workers is the number of goroutines that parse text, 0 for one per processor, at
	// most 8. Rows and errors do not depend on it.
	Workers int
	// Keep is how many bytes of rows Scan may keep, packed, so that Summary.Source does
	// not read the files again: for each row 8 bytes, 8 for every input that is not 0, and
	// one bit for every input. Where the rows take more, none are kept.
	Keep int64
	// Apart refuses an input whose name another column has too, of which a model could not tell
	// it.
	Apart bool
	// Like has the names of the columns of the file whose columns numbers name, "" for one
	// without, or is nil where they name those of the first file.
	Like []string
	// Bare says that a row may lack its label, which is then the empty text.
	Bare bool
	// Each, if not nil, is given the inputs of every row that Scan reads, NaN where one is
	// missing, until the next row.
	Each func(x []float64)
}

// Set by package dataset. See cmd/rff/files.
var (
	ReadingOf func(options any) *Reading
	ColumnsOf func(parseError any) []string
	Decided   func(coding any) string
	HeaderOf  func(files any) []string
	FormatOf  func(files any) string
	Filled    func(files, summary any) any
	PlaceOf   func(table any, i int) any
	SurveyOf  func(files any) any
	LabelFile func(images string) string

	LookOf        func(summary any) any
	SummaryOf     func(l any, task string) (any, error)
	LookAtColumns func(ctx context.Context, options any, paths []string) (look, files any, err error)
)

// Step is one step of a search of krr.Auto, of which krr.AutoStep has a part.
type Step struct {
	Name       string
	Candidates int // tried
	Rows       int // fitted to
	HeldOut    int // rows measured on
	Features   int
	Best       string
	Error      float64
	Gain       float64 // by which what candidates are compared by fell below the best before, as a mean over held-out rows; 0 if the sizes differ
	StdErr     float64 // of Gain
	Kept       bool
	Why        string
	Estimated  time.Duration // what the budget counts
	Elapsed    time.Duration
}

// Search is what krr.Auto tried and chose.
type Search struct {
	Steps    []Step
	Searched int     // rows that were drawn, held-out ones included
	Error    float64 // of the choice on held-out rows
	Late     bool    // the deadline ended it
	Apart    bool    // held-out measures are of rows that no features have seen
	Compares bool    // intervals compare new rows with rows that the search held out

	Scaling          string        // its name, or "given"
	Sampler, Learned string        // the first "" if it was given, the second if it learned nothing
	Estimated        time.Duration // of the search and the fit
	LeastLambda      float64       // the smallest that was tried
}

// Set by package krr. See cmd/rff/fits.
var (
	SearchOf   func(report any) *Search
	Unresolved func(report any) []float64
	Classes    func(heldOut any) measure.Classification
	Numbers    func(heldOut any) []measure.Regression
	Reweighted func(report any) (rows int64, most []Reweight)

	FindBandwidth func(ctx context.Context, kernel, data any, unit float64, settings any) (float64, error)
	CheckMemory   func(schema any, features int, sampler, settings any) error
	PredictBatch  func(m any, dst, x blas.General[float64]) error
	Intervals     func(m any, low, high []*mat.Dense, x mat.Matrix, levels []float64) error
	LabelSets     func(m any, x mat.Matrix, levels []float64) ([][][]string, error)
)

// Reweight is a row whose weight a rule multiplied by Factor.
type Reweight struct {
	Row      int64 // from 0
	Factor   float64
	Residual float64 // distance of the scores of the solution before from the row's targets
}
