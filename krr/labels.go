package krr

import (
	"context"
	"iter"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	coding "github.com/rffgo/rff/internal/classes"
	"github.com/rffgo/rff/internal/inside"
)

// FromLabels returns the rows of x, n×d, with one label each, as the data of a classification
// for Fit and Auto. The classes are the labels that occur, sorted: as numbers if all are
// numbers, otherwise as text. x is read as rff.FromMatrix reads it; labels must not change
// while the source is in use.
//
// Errors: those of rff.FromMatrix; *rff.ShapeError if there are not n labels;
// *rff.ParameterError for fewer than two classes or an empty label.
func FromLabels(x mat.Matrix, labels []string) (rff.Source, error) {
	rows, err := rff.FromMatrix(x, nil)
	if err != nil {
		return nil, err
	}
	if n, _ := x.Dims(); n != len(labels) {
		return nil, &rff.ShapeError{Name: "labels", Rows: len(labels), Cols: 1, WantRows: n, WantCols: 1}
	}
	s := &labelledRows{rows: rows, labels: labels, index: map[string]int{}}
	var classes []string
	for i, l := range labels {
		if l == "" {
			return nil, wrongClasses(len(classes), "row "+strconv.Itoa(i+1)+" has an empty label: leave the row out or name its class")
		}
		if _, known := s.index[l]; !known {
			s.index[l] = 0
			classes = append(classes, l)
		}
	}
	coding.Sort(classes)
	for k, l := range classes {
		s.index[l] = k
	}
	if len(classes) < 2 {
		return nil, wrongClasses(len(classes), "a classification needs two or more")
	}
	s.schema = rows.Schema()
	s.schema.Target = rff.Target{Classes: classes, Columns: coding.Columns(len(classes))}
	return s, nil
}

// labelledRows is rows with labels, coded batch by batch: n rows of many classes
// would need n × classes numbers.
type labelledRows struct {
	rows   rff.Source
	labels []string
	schema rff.Schema
	index  map[string]int // class of a label
}

func (s *labelledRows) Schema() rff.Schema { return s.schema }

func (s *labelledRows) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	class := make([]int, 0, blas.RowBlock)
	return inside.Batches(ctx, s.rows, func(b *rff.Batch) error {
		class = class[:0]
		for i := range b.X.Rows {
			class = append(class, s.index[s.labels[b.First+int64(i)]])
		}
		b.Y = coding.Targets(class, len(s.index))
		return nil
	})
}
