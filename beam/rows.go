package rffbeam

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/classes"
	"github.com/rffgo/rff/internal/fold"
)

func init() {
	beam.RegisterType(reflect.TypeFor[Rows]())
	beam.RegisterCoder(reflect.TypeFor[Rows](), encodeRows, decodeRows)
	beam.RegisterType(reflect.TypeFor[readFn]())
}

// Rows are some rows of a file, of one fold.
type Rows struct {
	File        string
	Numbers     []int64 // of the rows in the file, from 1
	In, Targets int
	X, Y        []float64
	Weight      []float64 // or nil
}

// Batch returns the rows as package rff has them, counted from 0.
func (r Rows) Batch() rff.Batch {
	n := len(r.X) / max(r.In, 1)
	return rff.Batch{Weight: r.Weight,
		X: blas.General[float64]{Rows: n, Cols: r.In, Stride: r.In, Data: r.X},
		Y: blas.General[float64]{Rows: n, Cols: r.Targets, Stride: r.Targets, Data: r.Y}}
}

// encodeRows writes the lengths, the name and the numbers, little-endian.
func encodeRows(r Rows) []byte {
	b := make([]byte, 0, 64+len(r.File)+8*(len(r.Numbers)+len(r.X)+len(r.Y)+len(r.Weight)))
	for _, n := range []int{len(r.File), len(r.Numbers), r.In, r.Targets, len(r.X), len(r.Y), len(r.Weight)} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	b = append(b, r.File...)
	for _, v := range []any{r.Numbers, r.X, r.Y, r.Weight} {
		b, _ = binary.Append(b, binary.LittleEndian, v) // these have a size: no error
	}
	return b
}

func decodeRows(b []byte) (Rows, error) {
	var n [7]int
	for i := range n {
		v, k := binary.Uvarint(b)
		if k <= 0 || v > 1<<40 {
			return Rows{}, errRows
		}
		n[i], b = int(v), b[k:]
	}
	if len(b) != n[0]+8*(n[1]+n[4]+n[5]+n[6]) {
		return Rows{}, errRows
	}
	r := Rows{File: string(b[:n[0]]), In: n[2], Targets: n[3]}
	b = b[n[0]:]
	for range n[1] {
		r.Numbers = append(r.Numbers, int64(binary.LittleEndian.Uint64(b)))
		b = b[8:]
	}
	numbers := func(k int) []float64 {
		if k == 0 {
			return nil
		}
		v := make([]float64, k)
		for i := range v {
			v[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		}
		b = b[8*k:]
		return v
	}
	r.X, r.Y, r.Weight = numbers(n[4]), numbers(n[5]), numbers(n[6])
	return r, nil
}

var errRows = fmt.Errorf("rffbeam: rows that cannot be decoded")

// fileKey is a hash of a file's name.
func fileKey(name string) uint64 {
	f := fnv.New64a()
	f.Write([]byte(name))
	return f.Sum64()
}

// readFn reads files into batches of rows of one fold, keyed by fold and shard.
type readFn struct {
	Reading Reading
	Plan    []byte
	Folds   int
	Fanout  int
	Seed    uint64 // of the folds

	shard     int // of this bundle
	rows, bad beam.Counter
}

// batchRows returns the rows of an element: whole row blocks, eight where rows are
// short. Sums stay in cache from one row block to the next.
func batchRows(columns int) int {
	const most = 4 << 20 // bytes
	return blas.RowBlock * min(8, max(1, most/(8*blas.RowBlock*columns)))
}

func (f *readFn) Setup() {
	f.rows, f.bad = beam.NewCounter("rff", "rows"), beam.NewCounter("rff", "bad rows")
}

// StartBundle forgets the shard of the bundle before. All that a bundle reads goes to one
// shard, so that a bundle holds and hands on one sum for each fold, no more.
func (f *readFn) StartBundle(context.Context, func(int, Rows), func(string)) {
	f.shard = -1
}

// ProcessElement reads a share to emit, and bad rows to aside.
func (f *readFn) ProcessElement(ctx context.Context, l located, emit func(int, Rows), aside func(string)) error {
	plan, err := planOf(f.Plan)
	if err != nil {
		return err
	}
	leave := func(err error) {
		f.bad.Inc(ctx, 1)
		aside(err.Error())
	}
	o, err := f.Reading.options(ctx, l.File, l.Share, leave)
	if err != nil {
		return err
	}
	in, _ := plan.Map().Dims()
	schema := plan.Settings().Schema
	name := l.File.Path
	o.Schema = &schema
	files, err := dataset.Open(ctx, o, name)
	if err != nil {
		return err
	}
	key := fileKey(fmt.Sprint(name, l.Share.From))
	if f.shard < 0 {
		f.shard = int(key % uint64(f.Fanout))
	}
	d := &dealer{held: make([]Rows, f.Folds), file: name, in: in, targets: plan.Settings().Schema.Target.Columns, weighted: o.Weights != "" || schema.Target.Weights != nil, weights: schema.Target.Weights, seed: f.Seed,
		coding: dataset.NewCoding(schema.Target.Classes),
		hand: func(k int, rows Rows) {
			emit(k*f.Fanout+f.shard, rows)
			f.rows.Inc(ctx, int64(len(rows.X)/in))
		}}
	unseen := fits.NewUnseen(schema)
	for row, err := range files.Rows(ctx) {
		if err != nil {
			return err
		}
		if row.Weight != 0 {
			unseen.Observe(row.X)
		}
		if err := d.deal(row); err != nil {
			if !f.Reading.Aside {
				return err
			}
			leave(err)
		}
	}
	d.rest()
	warn(ctx, name, unseen)
	return nil
}

// dealer deals the rows of a file out to their folds, and hands on what a fold has once it
// is a whole batch.
type dealer struct {
	held        []Rows // by fold
	file        string
	in, targets int
	weighted    bool
	weights     []float64 // of the classes, or nil
	seed        uint64    // of the folds
	coding      dataset.Coding
	hand        func(fold int, rows Rows)
}

// deal adds a row to those of its fold, or leaves out one of weight 0. Errors: those of its label.
func (d *dealer) deal(row dataset.Row) error {
	if row.Weight == 0 {
		return nil
	}
	v, err := d.coding.Value(row)
	if err != nil {
		return err
	}
	k := 0
	if len(d.held) > 1 {
		k = fold.Of(d.seed, fold.Content(row.X), len(d.held))
	}
	h, batch := &d.held[k], batchRows(d.in+d.targets)
	if h.X == nil {
		*h = Rows{File: d.file, Numbers: make([]int64, 0, batch), In: d.in, Targets: d.targets, X: make([]float64, 0, batch*d.in), Y: make([]float64, 0, batch*d.targets)}
	}
	h.Numbers = append(h.Numbers, row.Place.Row)
	h.X = append(h.X, row.X...)
	h.Y = append(h.Y, make([]float64, d.targets)...)
	if y := h.Y[len(h.Y)-d.targets:]; len(d.coding.Classes) == 0 {
		y[0] = v
	} else {
		classes.Encode(y, int(v), len(d.coding.Classes))
	}
	if d.weighted {
		w := row.Weight
		if d.weights != nil {
			w *= d.weights[int(v)]
		}
		h.Weight = append(h.Weight, w)
	}
	if len(h.X) == batch*d.in {
		d.hand(k, *h)
		*h = Rows{}
	}
	return nil
}

// rest hands on what is no whole batch.
func (d *dealer) rest() {
	for k, h := range d.held {
		if h.X != nil {
			d.hand(k, h)
		}
	}
}
