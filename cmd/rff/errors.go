package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/cmd/rff/files"
	"github.com/rffgo/rff/cmd/rff/sets"
	"github.com/rffgo/rff/cmd/rff/wording"
	"github.com/rffgo/rff/dataset"
)

// usageError is a wrong command line.
type usageError struct {
	text string
	help string // the command that helps
}

func (e *usageError) Error() string { return e.text }

func usagef(format string, a ...any) error { return &usageError{text: fmt.Sprintf(format, a...)} }

// flagError says which flag a failure is about.
type flagError struct {
	flag string
	err  error
}

func (e *flagError) Error() string { return "--" + e.flag + ": " + oneLine(e.err) }
func (e *flagError) Unwrap() error { return e.err }

// value returns the first word in quotation marks of a flag's error.
func (e *flagError) value() string {
	if parts := strings.SplitN(e.err.Error(), `"`, 3); len(parts) == 3 {
		return parts[1]
	}
	return ""
}

// oneLine returns an error's text on one line, without the library's prefix. If a word is not
// known, it adds a guess at the word that was meant.
func oneLine(err error) string {
	text := strings.Join(strings.Fields(strings.TrimSpace(err.Error())), " ")
	text = wording.Flags(ours.Replace(text))
	if !strings.Contains(text, didYouMean) {
		text += question(unknownWord(err))
	}
	for _, p := range []string{"rff: ", "krr: ", "sampling: ", "dataset: ", "blas: ", "asm: "} {
		if rest, ok := strings.CutPrefix(text, p); ok {
			return rest
		}
		text = strings.Replace(text, ": "+p, ": ", 1)
	}
	return text
}

// ours replaces what the library names by flags that only this program has.
var ours = strings.NewReplacer(
	"(Width lifts it)", "(--max-columns lifts it)",
	"or set Passes", "or --solver cg",
	"or set lambda", "or give --lambda",
	"(LabelFile)", "(--labels FILE)",
)

// unknownWord returns the word that an error says is unknown, and those that
// it could have been.
func unknownWord(err error) (string, []string) {
	var parameter *rff.ParameterError
	var set *sets.UnknownSetError
	var column *dataset.ParseError
	switch {
	case errors.As(err, &parameter) && parameter.Known != nil:
		return fmt.Sprint(parameter.Value), parameter.Known
	case errors.As(err, &set):
		return set.Name, sets.Names()
	case errors.As(err, &column) && files.Columns(column) != nil:
		return column.Name, files.Columns(column)
	}
	var flag *flagError
	if errors.As(err, &flag) && flag.flag == "backend" {
		return flag.value(), blas.Backends()
	}
	return "", nil
}
