package files

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/dataset"
)

// BadInput returns the index of the input that a *rff.ValueError is about. names are those
// of the inputs, or nil.
func BadInput(bad *rff.ValueError, names []string) (j int, ok bool) {
	for j, name := range names {
		if bad.Column == "column "+strconv.Quote(name) {
			return j, true
		}
	}
	n, err := fmt.Sscanf(bad.Column, "input %d", &j)
	return j - 1, err == nil && n == 1 && j > 0
}

// BadRow returns an error with the file, the row, the column and the value of data for
// a *rff.ValueError about an input of the rows drawn, which are data's rows at(0),
// at(1) and so on, scaled. The row is found by its value, since rows may have been
// put in another order. Where it is not found the error names the column alone: row
// and value are not those of the data. Other errors are returned as they are.
func BadRow(err error, drawn, data *dataset.Table, at func(i int) int) error {
	var bad *rff.ValueError
	if !errors.As(err, &bad) {
		return err
	}
	j, ok := BadInput(bad, data.Inputs)
	for i := range drawn.Len() {
		if !ok || j >= drawn.X.Cols || drawn.X.Row(i)[j] != bad.Value {
			continue
		}
		column := "input " + strconv.Itoa(j+1)
		if data.Inputs != nil {
			column = "column " + strconv.Quote(data.Inputs[j])
		}
		i = at(i)
		p := Place(data, i)
		return fmt.Errorf("%s: row %d, %s is %g: it is too far from the other rows, even scaled: correct or clip the value, or leave the column out", p.File, p.Row, column, data.X.Row(i)[j])
	}
	return fmt.Errorf("%s has a value that is too far from the others, even scaled: correct or clip it, or leave the column out", bad.Column)
}
