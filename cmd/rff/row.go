package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/dataset"
)

// A row that cannot be used is named by its file and its number in the file. Package krr knows
// only its number among the rows that it was given.

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

// rowError puts the place of the row that err is about in front of err. find returns the place
// of a row, counted from 0.
func rowError(err error, find func(row int64) (dataset.Place, bool)) error {
	var bad *rff.ValueError
	if !errors.As(err, &bad) {
		return err
	}
	if place, ok := find(bad.Row); ok {
		return &placedError{place, fmt.Sprintf("%s is %g: %s", bad.Column, bad.Value, bad.Need), err}
	}
	return err
}

// placeOf returns the function find of rowError for rows of files. It reads the files again.
func placeOf(ctx context.Context, files *dataset.Files) func(int64) (dataset.Place, bool) {
	return func(at int64) (dataset.Place, bool) {
		if files == nil {
			return dataset.Place{}, false
		}
		for row, err := range files.Rows(ctx) {
			if err != nil {
				break
			}
			if row.Weight == 0 { // no row of the source
				continue
			}
			if at == 0 {
				return row.Place, true
			}
			at--
		}
		return dataset.Place{}, false
	}
}
