package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/rffgo/rff/dataset"
)

// parts are the training and test rows of one experiment.
type parts struct {
	set         string
	seed        uint64
	train, test *dataset.Table
}

// split takes the official parts of a set, or a fifth at random for the test, and
// at most that many training rows, in random order.
func split(t *dataset.Table, seed uint64, rows int) parts {
	rng := rand.New(rand.NewPCG(seed, 0x73706c6974))
	train := rng.Perm(t.Len())
	var test []int
	if t.Train > 0 {
		train = rng.Perm(t.Train)
		for i := t.Train; i < t.Len(); i++ {
			test = append(test, i)
		}
	} else {
		test, train = train[:t.Len()/5], train[t.Len()/5:]
	}
	if rows > 0 && len(train) > rows {
		train = train[:rows]
	}
	return parts{t.Name, seed, t.Select(train), t.Select(test)}
}

func (p parts) classification() bool { return p.train.Coding.Task == dataset.Classification }

// export writes the parts as NumPy arrays: name-seed-{x,y,tx,ty}.npy.
func (p parts) export(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	kind := "regression"
	if p.classification() {
		kind = "classification"
	}
	for _, part := range []struct {
		name string
		t    *dataset.Table
	}{{"train", p.train}, {"test", p.test}} {
		base := filepath.Join(folder, fmt.Sprintf("%s.%d.%s.%s", p.set, p.seed, kind, part.name))
		x := make([]float64, 0, part.t.Len()*part.t.X.Cols)
		for i := range part.t.Len() {
			x = append(x, part.t.X.Row(i)...)
		}
		if err := writeNPY(base+".x.npy", x, part.t.Len(), part.t.X.Cols); err != nil {
			return err
		}
		if err := writeNPY(base+".y.npy", part.t.Y, part.t.Len(), 1); err != nil {
			return err
		}
	}
	return nil
}

func writeNPY(path string, v []float64, rows, cols int) error {
	head := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }", rows, cols)
	for (10+len(head)+1)%64 != 0 {
		head += " "
	}
	head += "\n"
	out := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), byte(len(head)>>8))
	out = append(out, head...)
	for _, x := range v {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(x))
	}
	return os.WriteFile(path, out, 0o644)
}
