package sets

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/require"
)

func gzipped(t *testing.T, text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The rows of a set's test part are not among its training rows.
func TestNamedTrainingRows(t *testing.T) {
	dir := t.TempDir()
	for name, rows := range map[string]int{"cod-rna.train.csv.gz": 7, "cod-rna.test.csv.gz": 4} {
		var b strings.Builder
		b.WriteString("a,y\n")
		for i := range rows {
			fmt.Fprintf(&b, "%d,%d\n", i+100*len(name), 2*(i%2)-1)
		}
		os.MkdirAll(filepath.Join(dir, "cod-rna"), 0o777)
		if err := os.WriteFile(filepath.Join(dir, "cod-rna", name), gzipped(t, b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	table, err := Named(context.Background(), "cod-rna", dir)
	if err != nil || table.Len() != 11 || table.Train != 7 || table.Name != "cod-rna" || table.Coding.Task != dataset.Classification {
		t.Fatalf("%+v, %v", table, err)
	}
	head, tail := table.Head(table.Train), table.Tail(table.Train)
	if head.Len() != 7 || tail.Len() != 4 || head.Train != 0 || tail.Train != 0 || tail.X.Row(0)[0] != 1900 || head.X.Row(6)[0] != 2006 {
		t.Errorf("%v and %v", head.X.Data, tail.X.Data)
	}
	years := 1900.0
	for row, err := range tail.Rows(context.Background()) {
		if err != nil || row.X[0] != years {
			t.Errorf("row %+v, %v", row, err)
		}
		years++
	}
	t.Setenv("RFF_DATA", dir)
	if table, err = Named(context.Background(), "cod-rna", ""); err != nil || table.Train != 7 {
		t.Errorf("by the environment: %v", err)
	}
	var folder *FolderError
	if _, err := Named(context.Background(), "eeg", dir); !errors.As(err, &folder) || !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "eeg.csv.gz") {
		t.Errorf("no file: %v", err)
	}
	t.Setenv("RFF_DATA", "")
	if _, err := Named(context.Background(), "eeg", ""); !errors.As(err, &folder) || !strings.Contains(err.Error(), "RFF_DATA") {
		t.Errorf("no folder: %v", err)
	}
	var unknown *UnknownSetError
	if _, err := Named(context.Background(), "eeeg", dir); !errors.As(err, &unknown) || !strings.Contains(err.Error(), "eeg, kddcup99, letter") {
		t.Errorf("no set: %v", err)
	}
}

func TestNamedSets(t *testing.T) {
	dir := require.Data(t)
	want := map[string]struct {
		rows, inputs, train int
		classes             int
	}{
		"adult":   {48842, 123, 32561, 2},
		"cpuact":  {8192, 21, 0, 0},
		"eeg":     {14980, 14, 0, 2},
		"magic04": {19020, 10, 0, 2},
		"cod-rna": {331152, 8, 59535, 2},
		"mnist":   {70000, 784, 60000, 10},
	}
	for name, w := range want {
		if testing.Short() && (name == "mnist" || name == "cod-rna") {
			continue
		}
		s, err := Named(context.Background(), name, dir)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if s.Len() != w.rows || s.X.Cols != w.inputs || s.Train != w.train || len(s.Coding.Classes) != w.classes {
			t.Errorf("%s: %d×%d, %d for training, %d classes; want %+v", name, s.Len(), s.X.Cols, s.Train, len(s.Coding.Classes), w)
		}
		if name == "adult" {
			positive := 0
			for _, y := range s.Y {
				positive += int(y)
			}
			if positive != 7841+3846 {
				t.Errorf("adult: %d positive rows, want %d", positive, 7841+3846)
			}
		}
	}
}

// docs/data.md names every data set and the file that is looked for first.
func TestDataDocument(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "data.md"))
	if err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir()
	for _, name := range Names() {
		if !strings.Contains(string(text), "| "+name+" | ") {
			t.Errorf("%s is missing", name)
		}
		_, err := Named(context.Background(), name, empty)
		var missing *FolderError
		if err == nil {
			continue // built in
		} else if !errors.As(err, &missing) {
			t.Fatal(err)
		}
		file, err := filepath.Rel(empty, missing.File)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "`"+filepath.ToSlash(file)+"`") {
			t.Errorf("%s: the file %s is missing", name, file)
		}
	}
}
