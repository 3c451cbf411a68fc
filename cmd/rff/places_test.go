package main

import (
	"os"
	"testing"
)

// The labels of an IDX file are read though no flag names them: they are no place
// for a model.
func TestLabelsBesideStay(t *testing.T) {
	t.Chdir(t.TempDir())
	const images, labels = "train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"
	save(t, ".", images, []byte("images"))
	save(t, ".", labels, []byte("labels"))
	for _, line := range []string{"fit --features 16 --model " + labels + " --data " + images, "gram --features 16 --output " + labels + " --data " + images} {
		refused(t, line, "it would replace")
	}
	if b, err := os.ReadFile(labels); string(b) != "labels" {
		t.Errorf("%v: %q", err, b)
	}
}
