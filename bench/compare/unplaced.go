package compare

import (
	"errors"
	"fmt"
	"strings"

	"github.com/rffgo/rff"
)

// Unplaced takes row and value from an error about one of the rows that were drawn
// at random and scaled: they are not those of the data.
func Unplaced(err error) error {
	if bad := (*rff.ValueError)(nil); errors.As(err, &bad) {
		return fmt.Errorf("rff: %s has a value that is too far from the others, even scaled: correct or clip it, or leave the column out", bad.Column)
	}
	return err
}

// plain returns the text of an error without the package that says it.
func plain(err error) string {
	text := err.Error()
	for _, p := range []string{"sampling: ", "krr: ", "rff: "} {
		text = strings.TrimPrefix(text, p)
	}
	return text
}
