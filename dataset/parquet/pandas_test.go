package parquet_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rffgo/rff/dataset"
	_ "github.com/rffgo/rff/dataset/parquet"
)

// pandas writes the index of a frame before the columns into CSV, and behind them into Parquet and
// Feather: the label is the last column in all of them, and the index is an input.
func TestIndexOfPandas(t *testing.T) {
	text := filepath.Join(t.TempDir(), "frame.csv")
	if err := os.WriteFile(text, []byte("step,x,y\n7,1.5,4.5\n8,2.5,5.5\n7,4.5,6.5\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for path, inputs := range map[string][]string{text: {"step", "x"}, "testdata/index/frame.parquet": {"x", "step"}, "testdata/index/frame.feather": {"x", "step"}} {
		f, err := dataset.Open(t.Context(), dataset.Options{Task: dataset.Regression}, path)
		if err != nil {
			t.Fatal(err)
		}
		s := f.Schema()
		if s.Target.Name != "y" || !slices.Equal(s.InputNames(), inputs) {
			t.Errorf("%s: label %q of inputs %q, want y of %q", path, s.Target.Name, s.InputNames(), inputs)
		}
		if notes := strings.Join(f.Notes(), "\n"); strings.Contains(notes, `"step" is an index that pandas wrote behind the columns, of which "y" is the last`) != (path != text) {
			t.Errorf("%s: notes %q", path, notes)
		}
		// It is a label if it is named.
		if f, err = dataset.Open(t.Context(), dataset.Options{Label: "step"}, path); err != nil || f.Schema().Target.Name != "step" || f.Notes() != nil {
			t.Errorf("%s: %v, label %q, notes %q", path, err, f.Schema().Target.Name, f.Notes())
		}
	}
}
