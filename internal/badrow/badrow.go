// Package badrow says where a value that cannot be used stands in the data, when the
// error about it is about rows that were drawn from the data and scaled.
package badrow

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/dataset"
)

// Input returns the index of the input that a *rff.ValueError is about.
func Input(bad *rff.ValueError) (j int, ok bool) {
	n, err := fmt.Sscanf(bad.Column, "input %d", &j)
	return j - 1, err == nil && n == 1 && j > 0
}

// Name returns an error with the file, the row, the column and the value of data for
// a *rff.ValueError about an input of the rows drawn, which are data's rows at(0),
// at(1) and so on, scaled. The row is found by its value: who reads rows may have
// put them in another order. Other errors are returned as they are.
func Name(err error, drawn, data *dataset.Table, at func(i int) int) error {
	var bad *rff.ValueError
	if !errors.As(err, &bad) {
		return err
	}
	j, ok := Input(bad)
	if !ok || j >= drawn.X.Cols {
		return err
	}
	for i := range drawn.Len() {
		if drawn.X.Row(i)[j] != bad.Value {
			continue
		}
		column := "input " + strconv.Itoa(j+1)
		if data.Inputs != nil {
			column = "column " + strconv.Quote(data.Inputs[j])
		}
		i = at(i)
		p := data.Place(i)
		return fmt.Errorf("%s: row %d, %s is %g: it is too far from the other rows, even scaled: correct or clip the value, or leave the column out", p.File, p.Row, column, data.X.Row(i)[j])
	}
	return err
}
