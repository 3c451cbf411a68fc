package main

import (
	"context"
	"errors"
	"strconv"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/badrow"
)

// inColumn names the column in an error about an input that has only its number.
func inColumn(err error, names []string) error {
	var bad *rff.ValueError
	if !errors.As(err, &bad) {
		return err
	}
	j, ok := badrow.Input(bad, nil)
	if !ok || j >= len(names) {
		return err
	}
	named := *bad
	named.Column = "column " + strconv.Quote(names[j])
	return &named
}

// placeOfValue is placeOf for the row that err, a *rff.ValueError about an input, is
// about. If the row has another value it was counted among rows that were drawn, and
// the first row with the value is meant.
func placeOfValue(ctx context.Context, files *dataset.Files, err error) func(int64) (dataset.Place, bool) {
	var bad *rff.ValueError
	if files == nil || !errors.As(err, &bad) {
		return placeOf(ctx, files)
	}
	j, ok := badrow.Input(bad, files.Schema().InputNames())
	if !ok {
		return placeOf(ctx, files)
	}
	return func(at int64) (first dataset.Place, found bool) {
		for row, err := range files.Rows(ctx) {
			switch {
			case err != nil:
				return first, found
			case row.X[j] != bad.Value:
			case row.Index == at:
				return row.Place, true
			case !found:
				first, found = row.Place, true
			}
		}
		return first, found
	}
}
