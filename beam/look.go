package rffbeam

import (
	"bytes"
	"cmp"
	"context"
	"encoding/gob"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/reservoir"
)

// What a plan needs of the rows is what dataset.Files.Scan finds: ranges, means, labels
// and a sample. The sample of Scan depends on the numbers of the rows alone, so that
// workers who know them find its rows, each in its files:
//
//	countFn   the rows of each file, by its lines where it is text
//	chooseFn  the rows of the sample
//	lookFn    ranges, labels and these rows; gatherFn puts the files together
//	checkFn   where a count was wrong, the sample anew
//	lookFn    its rows
//	settleFn  all of it

func init() {
	beam.RegisterType(reflect.TypeFor[look]())
	beam.RegisterCoder(reflect.TypeFor[look](), encodeLook, decodeLook)
	for _, fn := range []any{chooseFn{}, lookFn{}, gatherFn{}, checkFn{}, settleFn{}} {
		beam.RegisterType(reflect.TypeOf(fn))
	}
}

const (
	mostClasses = 4096
	// mostDrawn bounds the rows that the sample of Scan is drawn from, one after the
	// other, in about a minute.
	mostDrawn = 10_000_000_000
)

// choice is which rows of which files to keep.
type choice struct {
	Files []FileRows // in the order of their names
	Rows  []int64    // numbers of the rows in the sample, among all rows from 0, rising
	Slots []int      // their places in the sample
}

// emit emits the part of each file.
func (c choice) emit(emit func(string, part)) {
	emitParts(c.Files, func(name string, p part) {
		from, _ := slices.BinarySearch(c.Rows, p.First)
		to, _ := slices.BinarySearch(c.Rows, p.First+p.Rows)
		p.Drawn, p.Slots = c.Rows[from:to], c.Slots[from:to]
		emit(name, p)
	})
}

// look is what is known of some files.
type look struct {
	Files    []FileRows
	Guessed  bool               // a file has other numbers of rows than its part says
	Moments  map[string]moments // by key of the files, where they are asked for
	Inputs   []string
	Target   string
	Width    int
	Min, Max []float64
	Labels   map[string]bool // the first mostClasses+1, shortest form of numbers

	// The rows of the sample that the files have.
	Slots   []int
	X       []float64
	Label   []string
	Weights []float64
}

// moments are the means of a file's inputs, and the sums of the squares of what they
// differ by.
type moments struct{ Mean, Squares []float64 }

func encodeGob[T any](v T) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(v)
	return b.Bytes(), err
}

func encodeLook(l look) ([]byte, error) { return encodeGob(l) }

func decodeLook(b []byte) (l look, err error) {
	err = gob.NewDecoder(bytes.NewReader(b)).Decode(&l)
	return l, err
}

// sampleOf looks at all files.
func sampleOf(s beam.Scope, glob string, r Reading, p Planning) beam.PCollection {
	files := match(s, glob)
	see := func(parts beam.PCollection, again bool) beam.PCollection {
		fn := &lookFn{Reading: r, Standard: p.standard() && !again}
		return beam.Combine(s, &gatherFn{}, beam.ParDo(s, fn, locate(s, files, parts, !again)))
	}
	counts := beam.ParDo(s, &countFn{Reading: r, Least: p.share()}, files)
	seen := see(beam.ParDo(s, &chooseFn{}, beam.Impulse(s), beam.SideInput{Input: counts}), false)
	second := see(beam.ParDo(s, &checkFn{}, seen), true)
	return beam.ParDo(s, &settleFn{}, seen, beam.SideInput{Input: second})
}

type chooseFn struct{}

func (chooseFn) ProcessElement(ctx context.Context, _ []byte, counts func(*FileRows) bool, emit func(string, part)) error {
	c, err := choose(ctx, byName(counts))
	if err == nil {
		c.emit(emit)
	}
	return err
}

// choose chooses the rows of the sample, those of dataset.Files.Scan.
func choose(ctx context.Context, files []FileRows) (choice, error) {
	n := int64(0)
	for _, f := range files {
		n += f.Rows
		if a, b := f.Inputs, files[0].Inputs; a != b {
			return choice{}, fmt.Errorf("rffbeam: files of different columns: %s has %d inputs, %s has %d", f.File, a, files[0].File, b)
		}
	}
	if len(files) == 0 {
		return choice{}, fmt.Errorf("rffbeam: there are no files")
	}
	most := reservoir.Most(int(files[0].Inputs))
	rows := make([]int64, min(n, int64(most))) // by slot
	for k := range rows {
		rows[k] = int64(k)
	}
	if slot := reservoir.Slots(most); n <= mostDrawn {
		for i := int64(most); i < n; i++ {
			if k := slot(i); k >= 0 {
				rows[k] = i
			}
			if i%(1<<24) == 0 && ctx.Err() != nil {
				return choice{}, ctx.Err()
			}
		}
	} else {
		random, drawn := rand.New(rand.NewPCG(0x5ca1ab1e, 1)), map[int64]bool{}
		for k := range rows {
			for rows[k] = random.Int64N(n); drawn[rows[k]]; rows[k] = random.Int64N(n) {
			}
			drawn[rows[k]] = true
		}
	}
	c := choice{Files: files, Rows: rows, Slots: make([]int, len(rows))}
	for k := range c.Slots {
		c.Slots[k] = k
	}
	slices.SortFunc(c.Slots, func(a, b int) int { return cmp.Compare(rows[a], rows[b]) })
	c.Rows = make([]int64, len(rows))
	for i, k := range c.Slots {
		c.Rows[i] = rows[k]
	}
	return c, nil
}

// lookFn looks at files.
type lookFn struct {
	Reading  Reading
	Standard bool
}

func (f *lookFn) ProcessElement(ctx context.Context, to located, emit func(look)) error {
	file, drawn, slots := to.File, to.Part.Drawn, to.Part.Slots
	files, closer, err := f.Reading.open(ctx, file, to.Part.Share, f.Reading.options(nil))
	if err != nil {
		return err
	}
	defer closer.Close()
	schema, name := files.Schema(), file.Metadata.Path
	for i, c := range schema.Inputs {
		if c.Words != nil || c.Time != nil {
			return fmt.Errorf("%s: column %s has words or dates: rff gram --plan finds those of all files, and rffbeam fit --plan takes what it wrote", name, schema.Title(i))
		}
	}
	d, _ := schema.Dims()
	l := look{Inputs: schema.InputNames(), Target: schema.Target.Name, Width: d, Labels: map[string]bool{}, Min: make([]float64, d), Max: make([]float64, d)}
	var m moments
	if f.Standard {
		m = moments{make([]float64, d), make([]float64, d)}
	}
	numbers := map[float64]struct{}{} // labels that are in l.Labels
	rows := int64(0)
	for row, err := range files.Rows(ctx) {
		if err != nil {
			return err
		}
		if _, known := numbers[row.Label.Value]; len(l.Labels) <= mostClasses && !(known && row.Label.Number) {
			l.Labels[row.Label.String()] = true
			if row.Label.Number {
				numbers[row.Label.Value] = struct{}{}
			}
		}
		if rows == 0 {
			copy(l.Min, row.X)
			copy(l.Max, row.X)
		}
		for j, v := range row.X {
			if v < l.Min[j] {
				l.Min[j] = v
			}
			if v > l.Max[j] {
				l.Max[j] = v
			}
		}
		if f.Standard { // Welford's update
			inverse := 1 / float64(rows+1)
			for j, v := range row.X {
				delta := v - m.Mean[j]
				m.Mean[j] += float64(delta * inverse)
				m.Squares[j] += float64(delta * (v - m.Mean[j]))
			}
		}
		if len(drawn) > 0 && drawn[0] == to.Part.First+rows {
			l.Slots = append(l.Slots, slots[0])
			l.X = append(l.X, row.X...)
			l.Label = append(l.Label, row.Label.String())
			l.Weights = append(l.Weights, row.Weight)
			drawn, slots = drawn[1:], slots[1:]
		}
		rows++
	}
	l.Files = []FileRows{{File: name, Rows: rows, Inputs: int64(d), From: to.Part.Share.From, To: to.Part.Share.To}}
	l.Guessed = rows != to.Part.Rows
	if f.Standard {
		l.Moments = map[string]moments{l.Files[0].key(): m}
	}
	emit(l)
	return nil
}

// gatherFn puts together what was seen of several files.
type gatherFn struct{}

func (gatherFn) CreateAccumulator() look { return look{} }

func (g gatherFn) AddInput(a, b look) (look, error) { return g.MergeAccumulators(a, b) }

func (gatherFn) MergeAccumulators(a, b look) (look, error) {
	switch {
	case a.Width == 0:
		return b, nil
	case b.Width == 0:
		return a, nil
	case a.Width != b.Width || !slices.Equal(a.Inputs, b.Inputs):
		return a, fmt.Errorf("rffbeam: files of different columns: %s has %d inputs %.80q, and %s %d %.80q", a.Files[0].File, a.Width, a.Inputs, b.Files[0].File, b.Width, b.Inputs)
	}
	a.Files = append(a.Files, b.Files...)
	a.Guessed = a.Guessed || b.Guessed
	for name, m := range b.Moments {
		a.Moments[name] = m
	}
	for j := range a.Min {
		a.Min[j], a.Max[j] = min(a.Min[j], b.Min[j]), max(a.Max[j], b.Max[j])
	}
	for l := range b.Labels {
		if len(a.Labels) > mostClasses {
			break
		}
		a.Labels[l] = true
	}
	a.Slots = append(a.Slots, b.Slots...)
	a.X = append(a.X, b.X...)
	a.Label = append(a.Label, b.Label...)
	a.Weights = append(a.Weights, b.Weights...)
	return a, nil
}

func (gatherFn) ExtractOutput(a look) look { return a }

// checkFn chooses rows anew where the choice was of other numbers of rows than there are.
type checkFn struct{}

func (checkFn) ProcessElement(ctx context.Context, l look, emit func(string, part)) error {
	if !l.Guessed {
		return nil
	}
	files := slices.Clone(l.Files)
	slices.SortFunc(files, compareFiles)
	c, err := choose(ctx, files)
	if err == nil {
		c.emit(emit)
	}
	return err
}

var errLook = fmt.Errorf("rffbeam: a look at the files was lost")

// settleFn takes the sample of the second look, if there was one, and puts it in order.
type settleFn struct{}

func (settleFn) ProcessElement(l look, second func(*look) bool, emit func(look)) error {
	if m := (look{}); second(&m) && m.Width > 0 {
		l.Slots, l.X, l.Label, l.Weights = m.Slots, m.X, m.Label, m.Weights
	}
	n := int64(0)
	for _, f := range l.Files {
		n += f.Rows
	}
	if int64(len(l.Slots)) != min(n, int64(reservoir.Most(l.Width))) {
		return fmt.Errorf("rffbeam: the files have changed while they were read: %d rows of a sample of %d rows were found", len(l.Slots), n)
	}
	slices.SortFunc(l.Files, compareFiles)
	x, label, weights := make([]float64, len(l.X)), make([]string, len(l.Label)), make([]float64, len(l.Weights))
	for i, k := range l.Slots {
		if k < 0 || k >= len(label) {
			return errLook
		}
		copy(x[k*l.Width:], l.X[i*l.Width:][:l.Width])
		label[k], weights[k] = l.Label[i], l.Weights[i]
	}
	l.Slots, l.X, l.Label, l.Weights = nil, x, label, weights
	emit(l)
	return nil
}

// rows returns the number of all rows.
func (l look) rows() (n int64) {
	for _, f := range l.Files {
		n += f.Rows
	}
	return n
}

// summary returns what dataset.Files.Scan has, but for the labels. sample is that of l.
func (l look) summary(sample *dataset.Table) *dataset.Summary {
	s := &dataset.Summary{Rows: l.rows(), Min: l.Min, Max: l.Max, Sample: sample}
	if l.Moments == nil {
		return s
	}
	// In the order of the files, so that the sums do not depend on the engine (Chan,
	// Golub and LeVeque 1979).
	s.Mean, s.Std = make([]float64, l.Width), make([]float64, l.Width)
	n := 0.0
	for _, f := range l.Files {
		m, k := l.Moments[f.key()], float64(f.Rows)
		for j := range s.Mean {
			delta := m.Mean[j] - s.Mean[j]
			s.Mean[j] += float64(delta * (k / (n + k)))
			s.Std[j] += m.Squares[j] + float64(float64(delta*delta)*(n*(k/(n+k))))
		}
		n += k
	}
	for j := range s.Std {
		s.Std[j] = math.Sqrt(s.Std[j] / n)
	}
	return s
}
