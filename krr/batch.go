package krr

import (
	"context"
	"fmt"
	"iter"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/stream"
)

// counted returns data that fails if two readings give different numbers of rows.
func counted(data rff.Source) (rff.Source, error) {
	if data == nil {
		return nil, &rff.ParameterError{Name: "data", Need: "must be given"}
	}
	return rff.WithSchema(data, data.Schema())
}

// summed returns the part of a schema that Grams keep.
func summed(s rff.Schema) rff.Schema {
	s.Rows, s.FoldRows, s.Target.Range, s.Target.Quantiles = 0, 0, nil, nil
	return s
}

// kept returns the part of a schema that models keep.
func kept(s rff.Schema) rff.Schema {
	s = summed(s)
	s.Weighted = false
	return s
}

// ahead returns the rows of src in checked chunks, read ahead on another goroutine.
func ahead(ctx context.Context, src rff.Source, features int) iter.Seq2[rff.Batch, error] {
	return stream.Ahead(ctx, src, features, checkBatch)
}

// checkBatch returns an error if b cannot be added.
func checkBatch(b rff.Batch, in, targets int) error {
	if b.X.Cols != in {
		return mismatch("inputs", fmt.Sprint(in), fmt.Sprint(b.X.Cols))
	}
	if b.Y.Cols != targets {
		return mismatch("targets", fmt.Sprint(targets), fmt.Sprint(b.Y.Cols))
	}
	if b.Y.Rows != b.X.Rows || (b.Weight != nil && len(b.Weight) != b.X.Rows) {
		return mismatch("rows of inputs, targets and weights", fmt.Sprint(b.X.Rows), fmt.Sprintf("%d and %d", b.Y.Rows, len(b.Weight)))
	}
	if b.Group != nil && len(b.Group) != b.X.Rows {
		return mismatch("rows of inputs and groups", fmt.Sprint(b.X.Rows), fmt.Sprint(len(b.Group)))
	}
	return inside.CheckValues(b, true)
}
