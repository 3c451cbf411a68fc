package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/dataset"
)

// parts are the training and test rows of one experiment.
type parts struct {
	set         string
	seed        uint64
	train, test *dataset.Table
}

func (p parts) classification() bool { return p.train.Coding.Task == dataset.Classification }

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

// The files of a task: a header, words as they are, an empty cell for a missing value,
// and the target in the column y.
const (
	trainFile, testFile = "train.csv.gz", "test.csv.gz"
	target              = "y"
)

// load reads a task from its folder. Words become one column per level, gaps the mean of
// their column.
func load(ctx context.Context, folder, set string, seed uint64) (parts, error) {
	words, err := wordColumns(filepath.Join(folder, trainFile))
	if err != nil {
		return parts{}, err
	}
	o := dataset.Options{Label: target, Missing: rff.MissingMean, Unseen: "zero", Categories: words}
	files, err := dataset.Open(ctx, o, filepath.Join(folder, trainFile))
	if err != nil {
		return parts{}, err
	}
	s, err := files.Scan(ctx, nil)
	if err != nil {
		return parts{}, err
	}
	schema := s.Source().Schema()
	o = dataset.Options{Label: target, Task: s.Coding.Task, Schema: &schema}
	train, err := dataset.Read(ctx, o, filepath.Join(folder, trainFile))
	if err != nil {
		return parts{}, err
	}
	test, err := dataset.Read(ctx, o, filepath.Join(folder, testFile))
	return parts{set, seed, train, test}, err
}

// wordColumns returns the inputs of a file that hold something that is no number.
func wordColumns(path string) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	rows := csv.NewReader(z)
	header, err := rows.Read()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	word := make([]bool, len(header))
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		for j, cell := range row {
			if _, err := strconv.ParseFloat(cell, 64); err != nil && cell != "" {
				word[j] = true
			}
		}
	}
	var names []string
	for j, name := range header {
		if word[j] && name != target {
			names = append(names, name)
		}
	}
	return names, nil
}

// export writes the parts as a task that load and rivals.py read, in the folder set.seed.
func (p parts) export(folder string) error {
	folder = filepath.Join(folder, fmt.Sprintf("%s.%d", p.set, p.seed))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for file, t := range map[string]*dataset.Table{trainFile: p.train, testFile: p.test} {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		row := make([]string, t.X.Cols+1)
		for j := range t.X.Cols {
			row[j] = fmt.Sprintf("x%d", j+1)
		}
		row[t.X.Cols] = target
		fmt.Fprintln(z, strings.Join(row, ","))
		for i := range t.Len() {
			for j, v := range t.X.Row(i) {
				row[j] = strconv.FormatFloat(v, 'g', -1, 64)
			}
			row[t.X.Cols] = t.Label(i)
			fmt.Fprintln(z, strings.Join(row, ","))
		}
		if err := z.Close(); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, file), b.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// A taskID says where the parts of an experiment come from: a folder, or the catalogue of
// sets and a random split.
type taskID struct {
	set    string
	seed   uint64
	folder string // "" for a set of the catalogue
}

// tasksOf lists the tasks of a folder, a folder each: those with a number in their name
// once, the others with every seed. wanted are the sets to take, none for all.
func tasksOf(folder string, wanted []string, seeds []uint64) ([]taskID, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var out []taskID
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		if _, err := os.Stat(filepath.Join(path, trainFile)); err != nil {
			continue
		}
		set, of := e.Name(), seeds
		if before, number, ok := strings.Cut(set, "."); ok {
			n, err := strconv.ParseUint(number, 10, 64)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			set, of = before, []uint64{n}
		}
		if len(wanted) > 0 && !slices.Contains(wanted, set) {
			continue
		}
		for _, seed := range of {
			out = append(out, taskID{set, seed, path})
		}
	}
	return out, nil
}
