package krr

import (
	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
)

// Predict writes the predictions of the rows of x, n×d, to dst, n×t: the
// targets of a regression, the scores of a classification. An empty dst is
// sized. Errors: *rff.ShapeError, *RowError for a value that is not finite.
func (m *Model) Predict(dst *mat.Dense, x mat.Matrix) error {
	n, d := x.Dims()
	in, out := m.Dims()
	if d != in {
		return &rff.ShapeError{Name: "x", Rows: n, Cols: d, WantRows: -1, WantCols: in}
	}
	if dst.IsEmpty() {
		dst.ReuseAs(n, out)
	}
	if r, c := dst.Dims(); r != n || c != out {
		return &rff.ShapeError{Name: "dst", Rows: r, Cols: c, WantRows: n, WantCols: out}
	}
	xr := general(x)
	if err := checkFinite(0, "input", xr); err != nil {
		return err
	}
	m.predict(general(dst), xr)
	return nil
}

// PredictRow writes the prediction of one row to dst, of length t, without
// allocating.
func (m *Model) PredictRow(dst, x []float64) error {
	in, out := m.Dims()
	if len(x) != in {
		return &rff.ShapeError{Name: "x", Rows: 1, Cols: len(x), WantRows: -1, WantCols: in}
	}
	if len(dst) != out {
		return &rff.ShapeError{Name: "dst", Rows: 1, Cols: len(dst), WantRows: 1, WantCols: out}
	}
	xr := blas.General[float64]{Rows: 1, Cols: in, Stride: in, Data: x}
	if err := checkFinite(0, "input", xr); err != nil {
		return err
	}
	m.predict(blas.General[float64]{Rows: 1, Cols: out, Stride: out, Data: dst}, xr)
	return nil
}

// PredictBatch is Predict on the engine's own matrices.
func (m *Model) PredictBatch(dst, x blas.General[float64]) error {
	in, out := m.Dims()
	if x.Cols != in {
		return &rff.ShapeError{Name: "x", Rows: x.Rows, Cols: x.Cols, WantRows: -1, WantCols: in}
	}
	if dst.Rows != x.Rows || dst.Cols != out {
		return &rff.ShapeError{Name: "dst", Rows: dst.Rows, Cols: dst.Cols, WantRows: x.Rows, WantCols: out}
	}
	if err := checkFinite(0, "input", x); err != nil {
		return err
	}
	m.predict(dst, x)
	return nil
}

// predict works on checked arguments.
func (m *Model) predict(dst, x blas.General[float64]) {
	e := m.m.Engine()
	if m.precision == Float32 {
		x32, d32 := blas.NewGeneral[float32](x.Rows, x.Cols), blas.NewGeneral[float32](dst.Rows, dst.Cols)
		for i := range x.Rows {
			convert(x32.Row(i), x.Row(i))
		}
		m.m.Features32().Predict(e, d32, x32, m.coef32, m.inter32)
		for i := range dst.Rows {
			convert(dst.Row(i), d32.Row(i))
		}
	} else {
		m.m.Features64().Predict(e, dst, x, m.coef, m.intercept)
	}
	if m.lo != nil {
		for i := range dst.Rows {
			row := dst.Row(i)
			for t, v := range row {
				row[t] = min(max(v, m.lo[t]), m.hi[t])
			}
		}
	}
}

// ClassOf returns the class index that a row of scores stands for.
func (m *Model) ClassOf(scores []float64) int { return classOf(scores) }

// Labels returns the predicted label of every row of x. The error is that of
// Predict, or a *ClassError for a regression.
func (m *Model) Labels(x mat.Matrix) ([]string, error) {
	if m.classes == nil {
		return nil, &ClassError{0, "the model is a regression; use Predict"}
	}
	var scores mat.Dense
	if err := m.Predict(&scores, x); err != nil {
		return nil, err
	}
	n, _ := x.Dims()
	out := make([]string, n)
	for i := range out {
		out[i] = m.classes[classOf(scores.RawRowView(i))]
	}
	return out, nil
}

// general returns x in the engine's form, in place if it can be.
func general(x mat.Matrix) blas.General[float64] {
	raw, ok := x.(mat.RawMatrixer)
	if !ok {
		raw = mat.DenseCopyOf(x)
	}
	r := raw.RawMatrix()
	return blas.General[float64]{Rows: r.Rows, Cols: r.Cols, Stride: r.Stride, Data: r.Data}
}
