package liu

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/bench/reproduce"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/cmd/rff/sets"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/fold"
	"github.com/rffgo/rff/internal/scaling"
)

// rows are inputs with labels ±1.
type rows struct {
	x blas.General[float64]
	y blas.General[float64] // n×1
}

func (r rows) from(i, j int) rows { return rows{r.x.RowRange(i, j), r.y.RowRange(i, j)} }

// source returns the rows as a stream.
func (r rows) source() (rff.Source, error) {
	return rff.FromMatrix(mat.NewDense(r.x.Rows, r.x.Cols, r.x.Data), mat.NewDense(r.y.Rows, 1, r.y.Data))
}

// take returns the rows of t with these indices.
func take(t *dataset.Table, index []int) rows {
	r := rows{blas.NewGeneral[float64](len(index), t.X.Cols), blas.NewGeneral[float64](len(index), 1)}
	for i, j := range index {
		copy(r.x.Row(i), t.X.Row(j))
		r.y.Data[i] = 2*t.Y[j] - 1
	}
	return r
}

// load reads a set, scaled as the published figures have it.
func load(ctx context.Context, name, folder string) (*dataset.Table, error) {
	t, err := sets.Named(ctx, name, folder)
	if err != nil {
		return nil, err
	}
	if name == "covtype" { // as the LIBSVM page has the whole set
		s := dataset.FitScaling(dataset.MinMax, t.X)
		scaling.BentRows(s.From, s.To, s.Shift, s.Scale, t.X, t.X)
		return t, nil
	}
	standardizeRows(t.X)
	return t, nil
}

// standardizeRows gives every row mean 0 and standard deviation 1 over its columns,
// with n−1; a row of equal values becomes zeros.
func standardizeRows(x blas.General[float64]) {
	for i := range x.Rows {
		row := x.Row(i)
		var mean, ss float64
		for _, v := range row {
			mean += v / float64(len(row))
		}
		for _, v := range row {
			d := v - mean
			ss += float64(d * d)
		}
		sd := math.Sqrt(ss / float64(len(row)-1))
		for j := range row {
			if row[j] -= mean; sd > 0 {
				row[j] /= sd
			} else {
				row[j] = 0
			}
		}
	}
}

// divide returns the indices of training and test rows in random order: the set's own
// parts, or two halves.
func divide(t *dataset.Table, k reproduce.Key) (train, test []int) {
	order := fold.Permutation(t.Len(), reproduce.Stream(k.Seed, "rows", k.Data, k.Rep))
	if t.Train == 0 || t.Train == t.Len() {
		half := t.Len() / 2
		return order[:half], order[half:]
	}
	for _, i := range order {
		if i < t.Train {
			train = append(train, i)
		} else {
			test = append(test, i)
		}
	}
	return train, test
}
