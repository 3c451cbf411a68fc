package dataset_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/rffgo/rff/dataset"
)

// A stream is read once, and says so when it is read again.
func TestOpenReader(t *testing.T) {
	f, err := dataset.OpenReader(dataset.Options{}, "stdin", strings.NewReader("a,b,y\n1,2,u\n3,4,v\n"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for row, err := range f.Rows(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, row.Label.String())
	}
	if strings.Join(got, "") != "uv" || f.Width() != 2 || f.Target() != "y" {
		t.Errorf("labels %q, width %d, target %q", got, f.Width(), f.Target())
	}
	for _, err := range f.Rows(t.Context()) {
		var bad *dataset.ParseError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), "stdin") {
			t.Errorf("a second pass: %v", err)
		}
	}
	var bad *dataset.ParseError
	if _, err := dataset.OpenReader(dataset.Options{}, "stdin", strings.NewReader("1 3:2\n")); !errors.As(err, &bad) {
		t.Errorf("LIBSVM without a width: %v", err)
	}
	if format, err := dataset.DetectFormat("stdin", strings.NewReader("1 3:2\n")); err != nil || format != dataset.LIBSVM {
		t.Errorf("%v, %v", format, err)
	}
}
