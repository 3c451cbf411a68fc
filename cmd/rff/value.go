package main

import (
	"context"
	"errors"
	"strconv"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/cmd/rff/files"
	"github.com/rffgo/rff/dataset"
)

// inColumn names the column in an error about an input that has only its number.
func inColumn(err error, names []string) error {
	var bad *rff.ValueError
	if !errors.As(err, &bad) {
		return err
	}
	j, ok := files.BadInput(bad, nil)
	if !ok || j >= len(names) {
		return err
	}
	named := *bad
	named.Column = "column " + strconv.Quote(names[j])
	return &named
}

// placeOfValue is placeOf for the row of err, a *rff.ValueError about an input. If the row with
// that number has another value, the number counts rows that were drawn. placeOfValue then takes
// the first row with the value.
func placeOfValue(ctx context.Context, data *dataset.Files, err error) func(int64) (dataset.Place, bool) {
	var bad *rff.ValueError
	if data == nil || !errors.As(err, &bad) {
		return placeOf(ctx, data)
	}
	j, ok := files.BadInput(bad, data.Schema().InputNames())
	if !ok {
		return placeOf(ctx, data)
	}
	return func(at int64) (first dataset.Place, found bool) {
		for row, err := range data.Rows(ctx) {
			switch {
			case err != nil:
				return first, found
			case row.Weight == 0: // no row of the source
				continue
			case row.X[j] != bad.Value:
			case at == 0:
				return row.Place, true
			case !found:
				first, found = row.Place, true
			}
			at--
		}
		return first, found
	}
}
