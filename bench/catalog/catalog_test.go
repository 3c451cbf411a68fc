package catalog

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rffgo/rff/cmd/rff/sets"
	"github.com/rffgo/rff/internal/require"
)

// The catalogue knows every set that sets.Named reads, and all files that it opens.
func TestCatalog(t *testing.T) {
	known := map[string]Entry{}
	for _, e := range Sets() {
		if _, twice := known[e.Name]; twice {
			t.Errorf("%s is there twice", e.Name)
		}
		known[e.Name] = e
		if e.Title == "" || e.Task == "" || e.Source == "" || e.Licence == "" || e.Citation == "" || len(e.Papers) == 0 {
			t.Errorf("%s: %+v lacks something", e.Name, e)
		}
		if e.Readable != slices.Contains(sets.Names(), e.Name) {
			t.Errorf("%s is readable: %v", e.Name, e.Readable)
		}
	}
	for _, name := range sets.Names() {
		var paths []string
		for _, f := range known[name].Files {
			paths = append(paths, f.Path)
			if len(f.SHA256) != 64 {
				t.Errorf("%s has the digest %q", f.Path, f.SHA256)
			}
		}
		for _, f := range opened(t, name) {
			if !slices.Contains(paths, f) {
				t.Errorf("%s: the catalogue does not know %s", name, f)
			}
		}
	}
}

// opened returns the files that a set is read from: each is missed until it is there.
func opened(t *testing.T, name string) []string {
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for {
		var missing *sets.FolderError
		if _, err := sets.Named(context.Background(), name, folder); !errors.As(err, &missing) {
			return files
		}
		file, err := filepath.Rel(folder, missing.File)
		if err != nil || len(files) > 9 {
			t.Fatal(files, err)
		}
		files = append(files, filepath.ToSlash(file))
		os.MkdirAll(filepath.Dir(missing.File), 0o777)
		if err := os.WriteFile(missing.File, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func TestVerify(t *testing.T) {
	folder := t.TempDir()
	f := File{Path: "a/b", SHA256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"} // of "abc", FIPS 180-2
	var missing *sets.FolderError
	if err := f.Verify(context.Background(), "s", folder); !errors.As(err, &missing) || missing.Set != "s" {
		t.Errorf("a missing file: %v", err)
	}
	t.Setenv("RFF_DATA", "")
	if err := f.Verify(context.Background(), "s", ""); !errors.As(err, &missing) || missing.File != "" {
		t.Errorf("no folder: %v", err)
	}
	os.Mkdir(filepath.Join(folder, "a"), 0o777)
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(folder, "a", "b"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("abc")
	if err := f.Verify(context.Background(), "s", folder); err != nil {
		t.Error(err)
	}
	write("abd")
	var other *DigestError
	if err := f.Verify(context.Background(), "s", folder); !errors.As(err, &other) {
		t.Errorf("other bytes: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := f.Verify(ctx, "s", folder); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// The real files have the digests of the catalogue, and small ones its rows and
// columns.
func TestCatalogOfRealFiles(t *testing.T) {
	folder := require.Data(t)
	for _, e := range Sets() {
		for _, f := range e.Files {
			if err := f.Verify(context.Background(), e.Name, folder); err != nil {
				t.Error(err)
			}
		}
	}
	for _, name := range []string{"eeg", "magic04", "cpuact"} {
		i := slices.IndexFunc(catalog, func(e Entry) bool { return e.Name == name })
		table, err := sets.Named(context.Background(), name, folder)
		if err != nil {
			t.Fatal(err)
		}
		if f := catalog[i].Files[0]; table.Len() != f.Rows || table.X.Cols != f.Columns {
			t.Errorf("%s has %d × %d, the catalogue %d × %d", name, table.Len(), table.X.Cols, f.Rows, f.Columns)
		}
	}
}
