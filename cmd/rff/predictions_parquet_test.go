package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"path/filepath"
	"strings"
	"testing"
)

// A file of predictions is of the format that its name says, or is refused before
// anything is read.
func TestOutputIsWhatItsNameSays(t *testing.T) {
	dir := t.TempDir()
	wordsFile(t, dir, "train", 60, false)
	must(t, dir, "fit", "--data", "train.csv", "--categories", "colour", "--features", "16", "--model", "m")
	want := must(t, dir, "predict", "--model", "m", "--data", "train.csv")
	for _, name := range []string{"p.csv", "p.txt", "p", "p.csv.gz", "P.CSV.GZ"} {
		must(t, dir, "predict", "--model", "m", "--data", "train.csv", "--output", name)
		got := load(t, dir, name)
		if strings.HasSuffix(strings.ToLower(name), ".gz") {
			z, err := gzip.NewReader(bytes.NewReader(got))
			if err != nil {
				t.Fatal(name, err)
			}
			if got, err = io.ReadAll(z); err != nil {
				t.Fatal(name, err)
			}
		}
		if string(got) != want {
			t.Errorf("%s: %.100q, want %.100q", name, got, want)
		}
	}
	must(t, dir, "predict", "--model", "m", "--data", "train.csv", "--output", "p.parquet")
	if got := load(t, dir, "p.parquet"); !bytes.HasPrefix(got, []byte("PAR1")) {
		t.Errorf("p.parquet: %.20q", got)
	}
	for _, name := range []string{"p.arrow", "p.FEATHER", "p.avro", "p.csv.zst", "p.npy.gz", "p.parquet.gz", "p.xlsx", "p.tsv"} {
		refused(t, "predict --model "+filepath.Join(dir, "m")+" --data nowhere.csv --output "+name, "--output "+name, ".parquet")
	}
}
