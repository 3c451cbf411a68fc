package krr

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	coding "github.com/rffgo/rff/internal/classes"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/portable"
)

// Predict writes the predictions of the raw rows of x, n×d, to dst, n×t. They are the targets
// of a regression, or the quantiles of each target in their order, or the scores of a
// classification. An empty dst is sized. Errors: *rff.ShapeError; *rff.ParameterError for nil and for
// a dst that shares memory with x; *rff.ValueError for an input that is not finite or beyond what the
// map resolves, and for a prediction that is not finite: a dst that was not empty is then not to be
// used. All other errors leave dst as it was, and an empty dst stays empty.
func (m *Model) Predict(dst *mat.Dense, x mat.Matrix) error {
	return sizing(func() error {
		to, from, err := m.room(dst, x, len(m.intercept))
		if err != nil {
			return err
		}
		return m.predictBatch(to, from)
	}, dst)
}

// PredictRow writes the prediction of one raw row to dst, of length t, without
// allocating.
func (m *Model) PredictRow(dst, x []float64) error {
	return m.predictBatch(dense.Vector(dst), dense.Vector(x))
}

// predictBatch is fits.PredictBatch.
func (m *Model) predictBatch(dst, x rff.Matrix) error {
	if err := m.fits(dst, x, len(m.intercept)); err != nil {
		return err
	}
	if err := m.checkRows(x); err != nil {
		return err
	}
	return m.predict(dst, x, 0)
}

// checkRows returns the error for the first of the raw rows of x that the model
// cannot predict.
func (m *Model) checkRows(x blas.General[float64]) error {
	err := m.limits.check(x, 0, m.schema)
	for i := 0; err == nil && i < len(m.beside); i++ {
		err = m.beside[i].limits.check(x, 0, m.schema)
	}
	return err
}

// predictBlock is the number of rows that are scaled at a time: enough for all workers,
// and few enough to stay in cache.
const predictBlock = 1024

// predict is predictBatch of checked arguments. The first row of x is row first of the
// data. The error is a *rff.ValueError.
func (m *Model) predict(dst, x blas.General[float64], first int64) error {
	e := inside.Engine(m.m)
	for i := 0; i < x.Rows; i += predictBlock {
		j := min(i+predictBlock, x.Rows)
		m.by.Predict(e, dst.RowRange(i, j), x.RowRange(i, j), m.schema.Target.Classes == nil)
	}
	for i := range dst.Rows {
		row := dst.Row(i)
		switch m.link {
		case logLink:
			for t, v := range row {
				row[t] = portable.Exp(v)
			}
		case sorted:
			for t := 0; t < len(row); t += len(m.levels) {
				slices.Sort(row[t:][:len(m.levels)])
			}
		}
	}
	if i, j := dense.NotFinite(dst); i >= 0 {
		return badRow(first+int64(i), fmt.Sprintf("prediction %d", j+1), dst.Row(i)[j], "the row, or a coefficient of the model, is too large for its arithmetic")
	}
	if m.lo == nil {
		return nil
	}
	for i := range dst.Rows {
		row := dst.Row(i)
		for t, v := range row {
			row[t] = min(max(v, m.lo[t]), m.hi[t])
		}
	}
	return nil
}

// ClassOf returns the index of the class that one row of scores, as Predict gives
// them, stands for: the most probable one if the model is calibrated, otherwise
// the one with the highest score (of two classes, the second for a score ≥ 0). It panics unless
// the length fits.
func (m *Model) ClassOf(scores []float64) int {
	if len(scores) != len(m.intercept) {
		panic(errScores)
	}
	if m.cal != nil {
		return m.cal.Class(scores)
	}
	return coding.Decode(scores)
}

// Labels returns the label of the class of every row of x, as ClassOf decides it.
// The error is that of Predict, or a *rff.ParameterError for a regression.
func (m *Model) Labels(x mat.Matrix) ([]string, error) {
	if m.schema.Target.Classes == nil {
		return nil, setting("the model", nil, "is a regression and has no labels: use Predict")
	}
	var scores mat.Dense
	if err := m.Predict(&scores, x); err != nil {
		return nil, err
	}
	n, _ := x.Dims()
	out := make([]string, n)
	for i := range out {
		out[i] = m.schema.Target.Classes[m.ClassOf(scores.RawRowView(i))]
	}
	return out, nil
}

// sizing calls f, which may size those of to that are empty: they are empty again after an error.
func sizing(f func() error, to ...*mat.Dense) error {
	to = slices.DeleteFunc(to, func(d *mat.Dense) bool { return d == nil || !d.IsEmpty() })
	err := f()
	for _, d := range to {
		if err != nil {
			d.Reset()
		}
	}
	return err
}

// room returns dst, which it sizes if it is empty, and x. The error is one of given or of fits.
func (m *Model) room(dst *mat.Dense, x mat.Matrix, columns int) (to, from rff.Matrix, err error) {
	if err := given(x, dst); err != nil {
		return to, from, err
	}
	if n, _ := x.Dims(); dst.IsEmpty() && n > 0 {
		dst.ReuseAs(n, columns)
	}
	to, from = dense.Of(dst), dense.Of(x)
	return to, from, m.fits(to, from, columns)
}

// fits returns an error unless x has raw rows, and dst that many columns for each, in memory of its own.
func (m *Model) fits(dst, x rff.Matrix, columns int) error {
	if in, _ := m.Dims(); x.Cols != in {
		return &rff.ShapeError{Name: "x", Rows: x.Rows, Cols: x.Cols, WantRows: -1, WantCols: in}
	}
	if dst.Rows != x.Rows || dst.Cols != columns {
		return &rff.ShapeError{Name: "dst", Rows: dst.Rows, Cols: dst.Cols, WantRows: x.Rows, WantCols: columns}
	}
	return ownMemory("dst", dst, "x", x)
}

// given returns a *rff.ParameterError if x or a matrix for results is nil.
func given(x mat.Matrix, to ...*mat.Dense) error {
	switch {
	case dense.Missing(x):
		return setting("x", nil, "must be given")
	case slices.Contains(to, nil):
		return setting("dst", nil, "must be given")
	}
	return nil
}

// ownMemory returns a *rff.ParameterError if dst shares memory with x.
func ownMemory(name string, dst rff.Matrix, of string, x rff.Matrix) error {
	if blas.Overlap(dst, x) {
		return setting(name, "in the memory of "+of, "must have memory of its own")
	}
	return nil
}
