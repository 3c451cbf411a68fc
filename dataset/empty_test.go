package dataset

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

// Parts without rows, as a cluster writes them, add nothing to the others, wherever they stand:
// with a header alone, of no bytes, and of no bytes within gzip, which are said.
func TestPartsWithoutRows(t *testing.T) {
	var packed bytes.Buffer
	if err := gzip.NewWriter(&packed).Close(); err != nil {
		t.Fatal(err)
	}
	header := write(t, "header.csv", []byte("a,b,y\n"))
	empty := write(t, "empty.csv", nil)
	gzipped := write(t, "empty.csv.gz", packed.Bytes())
	full := write(t, "full.csv", []byte("a,b,y\n1,u,2\n3,v,4\n5,u,6\n"))
	ctx := context.Background()
	read := func(paths ...string) (*Table, []string, error) {
		f, err := Open(ctx, Options{}, paths...)
		if err != nil {
			return nil, nil, err
		}
		table, err := f.Table(ctx)
		return table, f.Notes(), err
	}
	want, _, err := read(full)
	if err != nil {
		t.Fatal(err)
	}
	for _, paths := range [][]string{{header, full}, {full, header}, {empty, full}, {full, gzipped}, {gzipped, header, full, empty}} {
		got, notes, err := read(paths...)
		if err != nil {
			t.Errorf("%v: %v", paths, err)
			continue
		}
		if !slices.Equal(got.X.Data, want.X.Data) || !slices.Equal(got.Y, want.Y) {
			t.Errorf("%v: %v and %v, want %v and %v", paths, got.X.Data, got.Y, want.X.Data, want.Y)
		}
		for _, p := range paths {
			said := slices.Contains(notes, p+": the file is empty")
			if bare := p == empty || p == gzipped; said != bare {
				t.Errorf("%v: of %s it is said that it is empty: %v; notes %q", paths, p, said, notes)
			}
		}
	}
	for need, paths := range map[string][]string{"nor the others have rows": {header, header}, "the file is empty": {empty, gzipped}} {
		var bad *ParseError
		if _, _, err := read(paths...); !errors.As(err, &bad) || bad.File != paths[0] || !strings.Contains(bad.Need, need) {
			t.Errorf("%v: %v, want %q", paths, err, need)
		}
	}
}
