package rffbeam

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"path"
	"reflect"
	"strconv"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/krr"
)

func init() {
	beam.RegisterType(reflect.TypeFor[predictFn]())
	beam.RegisterType(reflect.TypeFor[writeFn]())
	beam.RegisterType(reflect.TypeFor[bytesFn]())
	beam.RegisterType(reflect.TypeFor[plannedFn]())
}

// Predict writes the predictions of every file of a glob to a file of folder, in
// the order of its rows: a line of CSV each, with the class or the values, "" for a row
// that lacks an input if the model was fitted without such rows. The log warns of
// words that the fit has not seen, where the model takes them for none of its words. It returns
// the names of the files written. model is a file that all workers can read.
func Predict(s beam.Scope, glob, model, folder string, r Reading) beam.PCollection {
	s = s.Scope("rffbeam.Predict")
	return beam.ParDo(s, &predictFn{Reading: r, Model: model, Folder: folder}, match(s, glob))
}

// WriteModel writes the model of a Fitted, whole or not at all.
func WriteModel(s beam.Scope, name string, fitted beam.PCollection) {
	beam.ParDo0(s.Scope("rffbeam.WriteModel"), &writeFn{Name: name}, fitted)
}

// WritePlan writes the plan of a Planned, and beside it what else the Planned has, in
// JSON, to a file whose name ends in .rows.
func WritePlan(s beam.Scope, name string, planned beam.PCollection) {
	beam.ParDo0(s.Scope("rffbeam.WritePlan"), &plannedFn{Name: name}, planned)
}

// WriteBytes writes the one element of a collection, such as a plan, to a file.
func WriteBytes(s beam.Scope, name string, data beam.PCollection) {
	beam.ParDo0(s.Scope("rffbeam.WriteBytes"), &bytesFn{Name: name}, data)
}

type writeFn struct{ Name string }

func (f *writeFn) ProcessElement(ctx context.Context, m Fitted) error {
	return writeWhole(ctx, f.Name, m.Model)
}

type plannedFn struct{ Name string }

func (f *plannedFn) ProcessElement(ctx context.Context, p Planned) error {
	plan := p.Plan
	p.Plan = nil
	seen, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if err := writeWhole(ctx, f.Name+".rows", seen); err != nil {
		return err
	}
	return writeWhole(ctx, f.Name, plan)
}

type bytesFn struct{ Name string }

func (f *bytesFn) ProcessElement(ctx context.Context, data []byte) error {
	return writeWhole(ctx, f.Name, data)
}

// writeWhole writes a file that appears under its name when it is whole.
func writeWhole(ctx context.Context, name string, data []byte) error {
	return whole(ctx, name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

func whole(ctx context.Context, name string, write func(io.Writer) error) (err error) {
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return err
	}
	defer fs.Close()
	// Attempts at the same file, one after the other or at a time, write the same
	// bytes: what they rename last does not matter, if each has a name of its own.
	// A worker that is killed leaves it; the dot keeps it out of globs.
	folder, base := path.Split(name)
	temporary := fmt.Sprintf("%s.%s.%016x.part", folder, base, rand.Uint64())
	w, err := fs.OpenWrite(ctx, temporary)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	b := bufio.NewWriterSize(w, 1<<16)
	err = write(b)
	if e := b.Flush(); err == nil {
		err = e
	}
	if e := w.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = filesystem.Rename(ctx, fs, temporary, name)
	}
	if err != nil {
		if r, ok := fs.(filesystem.Remover); ok {
			r.Remove(ctx, temporary)
		}
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// predictFn predicts files.
type predictFn struct {
	Reading       Reading
	Model, Folder string

	model *krr.Model
}

// loadModel reads the model once.
func (f *predictFn) loadModel(ctx context.Context) error {
	if f.model != nil {
		return nil
	}
	fs, err := filesystem.New(ctx, f.Model)
	if err != nil {
		return err
	}
	defer fs.Close()
	data, err := filesystem.Read(ctx, fs, f.Model)
	if err != nil {
		return fmt.Errorf("%s: %w", f.Model, err)
	}
	m, err := krr.ReadModel(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("%s: %w", f.Model, err)
	}
	f.model, err = m.On(rff.Engine{Workers: 1})
	return err
}

// nameFor returns the name of a file's predictions: that of the file, and a hash of
// its folder, since files of several folders may have one name.
func nameFor(folder, file string) string {
	h := fnv.New32a()
	h.Write([]byte(path.Dir(file)))
	return fmt.Sprintf("%s/%s.%08x.predictions.csv", strings.TrimSuffix(folder, "/"), path.Base(file), h.Sum32())
}

func (f *predictFn) ProcessElement(ctx context.Context, file matched, emit func(string)) error {
	if err := f.loadModel(ctx); err != nil {
		return err
	}
	m := f.model
	in, out := m.Dims()
	o, err := f.Reading.options(ctx, file, share{}, nil)
	if err != nil {
		return err
	}
	schema := m.Info().Schema
	o.Schema = &schema
	if o.Label == "" {
		o.Task = dataset.Unlabelled
	}
	if schema.Missing == rff.MissingDrop {
		o.Missing = rff.MissingNaN // a row that lacks an input has an empty prediction
	}
	files, err := dataset.Open(ctx, o, file.Path)
	if err != nil {
		return err
	}
	labels, _ := fits.Harmless(schema.Target.Classes) // as rff predict writes them
	unseen := fits.NewUnseen(schema)
	name := nameFor(f.Folder, file.Path)
	err = whole(ctx, name, func(w io.Writer) error {
		header := fits.Predicted(m)
		if _, err := io.WriteString(w, strings.Join(header, ",")+"\n"); err != nil {
			return err
		}
		blank := strings.Repeat(`,""`, len(header))[1:] + "\n" // an empty line would be no row
		rows := batchRows(in + out)
		x, y := blas.NewGeneral[float64](rows, in), blas.NewGeneral[float64](rows, out)
		n, numbers, lacks := 0, make([]int64, rows), make([]bool, rows)
		flush := func() error {
			if err := fits.PredictBatch(m, y.RowRange(0, n), x.RowRange(0, n)); err != nil {
				return placed(Rows{File: file.Path, Numbers: numbers}, err)
			}
			for i := range n {
				var err error
				if lacks[i] {
					_, err = io.WriteString(w, blank)
				} else {
					err = writePrediction(w, m, labels, y.Row(i))
				}
				if err != nil {
					return err
				}
			}
			n = 0
			return nil
		}
		for row, err := range files.Rows(ctx) {
			if err != nil {
				return err
			}
			numbers[n] = row.Place.Row
			unseen.Observe(row.X)
			if lacks[n] = row.Missing && schema.Missing == rff.MissingDrop; lacks[n] {
				clear(x.Row(n))
			} else {
				copy(x.Row(n), row.X)
			}
			if n++; n == rows {
				if err := flush(); err != nil {
					return err
				}
			}
		}
		return flush()
	})
	if err == nil {
		emit(name)
		warn(ctx, file.Path, unseen)
	}
	return err
}

// warn logs rows of a file with words that the fit has not seen.
func warn(ctx context.Context, file string, unseen *fits.Unseen) {
	if note := unseen.Note(); note != "" {
		log.Warnf(ctx, "%s: %s", file, note)
	}
}

// writePrediction writes a line.
func writePrediction(w io.Writer, m *krr.Model, classes []string, y []float64) error {
	text := ""
	if classes != nil {
		text = classes[m.ClassOf(y)]
		if strings.ContainsAny(text, ",\"\r\n") || text == "" {
			text = `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
		}
	} else {
		for t, v := range y {
			if t > 0 {
				text += ","
			}
			text += strconv.FormatFloat(v, 'g', -1, 64)
		}
	}
	_, err := io.WriteString(w, text+"\n")
	return err
}
