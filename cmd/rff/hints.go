package main

import (
	"errors"
	"fmt"

	"github.com/rffgo/rff/cmd/rff/report"
	"github.com/rffgo/rff/dataset"
)

// hinted adds flags to the error of a cell that is no number, if there are flags that make an
// input of it. For a label, for example, it adds nothing.
func (d *dataFlags) hinted(err error) error {
	var cell *dataset.ParseError
	if !errors.As(err, &cell) || cell.Row == 0 || cell.Column == 0 || d.format == "libsvm" {
		return err
	}
	name := cell.Name
	if name == "" {
		name = fmt.Sprint(cell.Column)
	}
	if name == d.options.Label || name == d.options.Weights || name == d.options.Groups {
		return err
	}
	if cell.Need != "is not a number" {
		return err
	}
	return fmt.Errorf("%w: --categories %s makes inputs of its words, --inputs leaves the column out", err, report.ShellWord(name))
}
