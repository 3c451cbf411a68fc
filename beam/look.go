package rffbeam

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/rffgo/rff"
	inner "github.com/rffgo/rff/cmd/rff/files"
	"github.com/rffgo/rff/cmd/rff/looks"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/look"
)

// A plan is made from looks at shares of the files, as rff look makes them, in two passes:
//
//	lookFn    what the columns of a share hold; gatherFn merges
//	settleFn  gives every share the schema that follows
//	lookFn    the rows of a share, by this schema; gatherFn merges

func init() {
	beam.RegisterType(reflect.TypeFor[seen]())
	beam.RegisterCoder(reflect.TypeFor[seen](), encodeSeen, decodeSeen)
	for _, fn := range []any{lookFn{}, gatherFn{}, settleFn{}} {
		beam.RegisterType(reflect.TypeOf(fn))
	}
}

// seen is a look at some shares, or nothing.
type seen struct {
	look   *look.Look
	shares map[string]int // of each file
}

func encodeSeen(s seen) ([]byte, error) {
	if s.look == nil {
		return nil, nil
	}
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(s.shares); err != nil {
		return nil, err
	}
	if _, err := (looks.File{Look: s.look}).WriteTo(&b); err != nil {
		return nil, err
	}
	return pack(b.Bytes())
}

func decodeSeen(b []byte) (s seen, err error) {
	if len(b) == 0 {
		return s, nil
	}
	if b, err = unpack(b); err != nil {
		return s, err
	}
	shares, rest, _ := bytes.Cut(b, []byte("\n"))
	if err := json.Unmarshal(shares, &s.shares); err != nil {
		return s, err
	}
	s.look, err = looks.Read(bytes.NewReader(rest))
	return s, err
}

// sampleOf looks at all files, and returns one seen.
func sampleOf(s beam.Scope, glob string, r Reading, p Planning) beam.PCollection {
	shares := beam.Reshuffle(s, beam.ParDo(s, &shareFn{Least: p.share()}, match(s, glob)))
	columns := beam.Combine(s, &gatherFn{}, beam.ParDo(s, &lookFn{Reading: r}, shares))
	// What is long at work gets the schema with its share, and not as a side input: Prism
	// spins while a stage with side inputs works.
	settled := beam.Reshuffle(s, beam.ParDo(s, &settleFn{}, shares, beam.SideInput{Input: columns}))
	return beam.Combine(s, &gatherFn{}, beam.ParDo(s, &lookFn{Reading: r}, settled))
}

// lookFn looks at the columns of a share, or by their schema at its rows.
type lookFn struct{ Reading Reading }

func (f *lookFn) ProcessElement(ctx context.Context, to located, emit func(seen)) error {
	name := to.File.Path
	o, err := f.Reading.options(ctx, to.File, to.Share, nil)
	if err != nil {
		return err
	}
	out := seen{shares: map[string]int{name: 1}}
	if to.Schema == nil {
		o.Missing, o.Unseen, o.Categories, o.DateOrder, o.IDs = f.Reading.Missing, f.Reading.Unseen, f.Reading.Categories, f.Reading.DateOrder, f.Reading.IDs
		if out.look, _, err = inner.LookAtColumns(ctx, o, []string{name}); err == nil {
			emit(out)
		}
		return err
	}
	schema, err := to.schema()
	if err != nil {
		return err
	}
	o.Schema, inner.Reading(&o).Part = schema, true
	files, err := dataset.Open(ctx, o, name)
	if err != nil {
		return err
	}
	sum, err := files.Scan(ctx, nil)
	if err != nil {
		return err
	}
	out.look = inner.Look(sum)
	out.look.Notes = to.Notes
	emit(out)
	return nil
}

// gatherFn puts together what was seen of several shares.
type gatherFn struct{}

func (gatherFn) CreateAccumulator() seen { return seen{} }

func (g gatherFn) AddInput(a, b seen) (seen, error) { return g.MergeAccumulators(a, b) }

func (gatherFn) MergeAccumulators(a, b seen) (seen, error) {
	switch {
	case a.look == nil:
		return b, nil
	case b.look == nil:
		return a, nil
	}
	for name, n := range b.shares {
		a.shares[name] += n
	}
	if err := looks.Merge(a.look, b.look); err != nil {
		return a, fmt.Errorf("rffbeam: %w", err)
	}
	return a, nil
}

func (gatherFn) ExtractOutput(a seen) seen { return a }

// settleFn gives every share the schema of all columns, and what is to be said of it.
type settleFn struct{}

func (settleFn) ProcessElement(l located, columns func(*seen) bool, emit func(located)) error {
	var all seen
	if !columns(&all) || all.look == nil {
		return fmt.Errorf("rffbeam: there are no files")
	}
	schema, notes, err := looks.Settle(all.look)
	if err != nil {
		return fmt.Errorf("rffbeam: %w", err)
	}
	l.Notes = notes
	if l.Schema, err = json.Marshal(schema); err != nil {
		return err
	}
	emit(l)
	return nil
}

// schema returns the schema that a share came with.
func (l located) schema() (*rff.Schema, error) {
	s := new(rff.Schema)
	return s, json.Unmarshal(l.Schema, s)
}
