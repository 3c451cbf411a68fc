package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/krr"
)

// A row that cannot be used is named by its file and its number there: package
// krr counts the rows that it was given.

// placedError is an error about a row, with the row's place in front.
type placedError struct {
	place dataset.Place
	text  string
	err   error
}

func (e *placedError) Error() string {
	row := fmt.Sprintf("%s: row %d", e.place.File, e.place.Row)
	if e.place.Line > 0 && e.place.Line != e.place.Row {
		row += fmt.Sprintf(" (line %d)", e.place.Line)
	}
	return row + ", " + e.text
}

func (e *placedError) Unwrap() error { return e.err }

// rowError puts the place of the row that err is about in front of it. find
// returns the place of a row, counted from 0.
func rowError(err error, find func(row int64) (dataset.Place, bool)) error {
	var row *krr.RowError
	var prediction *krr.PredictionError
	var input *rff.ValueError
	var at int64
	var text string
	switch {
	case errors.As(err, &row):
		at, text = row.Row, fmt.Sprintf("%s is %g: %s", row.Column, row.Value, row.Need)
	case errors.As(err, &prediction):
		at, text = prediction.Row, fmt.Sprintf("the prediction is %g: the row, or a coefficient of the model, is too large for its arithmetic", prediction.Value)
	case errors.As(err, &input):
		at, text = input.Row, fmt.Sprintf("%s is %g: %s", input.Column, input.Value, input.Need)
	default:
		return err
	}
	if place, ok := find(at); ok {
		return &placedError{place, text, err}
	}
	return err
}

// drawnError takes the number of the row from an error about one of the rows that
// were drawn at random and scaled: it is not that of the file, and the value is not
// the one that stands there.
func drawnError(err error) error {
	if row := (*krr.RowError)(nil); errors.As(err, &row) {
		return row.Unplaced()
	}
	if value := (*rff.ValueError)(nil); errors.As(err, &value) {
		return fmt.Errorf("%s has a value that is too far from the others, even scaled: correct or clip it, or leave the column out", value.Column)
	}
	return err
}

// placeOf returns the place of a row of files, which are read again for it; find
// for rowError.
func placeOf(ctx context.Context, files *dataset.Files) func(int64) (dataset.Place, bool) {
	return func(at int64) (dataset.Place, bool) {
		if files == nil || files.Layout().OnePass {
			return dataset.Place{}, false
		}
		for row, err := range files.Rows(ctx) {
			if err != nil {
				break
			}
			if row.Index == at {
				return row.Place, true
			}
		}
		return dataset.Place{}, false
	}
}
