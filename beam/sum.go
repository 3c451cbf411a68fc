package rffbeam

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"runtime"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/krr"
)

// Types are registered without the generated calls of Beam's package register: an
// element is a batch of rows or whole sums, so that calls by reflection cost nothing,
// and those of package register take the compiler minutes and gigabytes.
func init() {
	beam.RegisterType(reflect.TypeFor[Sums]())
	beam.RegisterCoder(reflect.TypeFor[Sums](), encodeSums, decodeSums)
	beam.RegisterType(reflect.TypeFor[SumFn]())
	beam.RegisterType(reflect.TypeFor[bundleFn]())
	beam.RegisterType(reflect.TypeFor[mergeFn]())
	beam.RegisterType(reflect.TypeFor[foldFn]())
}

// Sums is a krr.Gram on its way between machines; without one it is empty. Its
// encoded form has s²/2 + O(s) numbers of 8 bytes.
type Sums struct{ gram *krr.Gram }

// Gram returns the sums, or nil if there are none.
func (s Sums) Gram() *krr.Gram { return s.gram }

func encodeSums(s Sums) ([]byte, error) {
	if s.gram == nil {
		return nil, nil
	}
	b, err := bytesOf(s.gram)
	hook.ForgetParts(s.gram) // as decodeSums does: the engine may go on with these sums
	return b, err
}

// bytesOf returns the file of g.
func bytesOf(g *krr.Gram) ([]byte, error) {
	var b bytes.Buffer
	_, err := g.WriteTo(&b)
	return b.Bytes(), err
}

func decodeSums(b []byte) (Sums, error) {
	if len(b) == 0 {
		return Sums{}, nil
	}
	g, err := krr.ReadGram(bytes.NewReader(b))
	if err != nil {
		return Sums{}, err
	}
	// The engine sees to it that a bundle counts once; two shards may well have
	// equal rows.
	hook.ForgetParts(g)
	return Sums{g}, nil
}

// merge adds b to a.
func merge(a, b Sums) (Sums, error) {
	switch {
	case a.gram == nil:
		return b, nil
	case b.gram == nil:
		return a, nil
	}
	return a, a.gram.Merge(b.gram)
}

// SumFn is the CombineFn of a fit: rows in, sums out.
type SumFn struct {
	Plan []byte // as Plan makes it: the map, the scaling, the classes; or that by gzip
}

// CreateAccumulator returns empty sums.
func (f *SumFn) CreateAccumulator() Sums { return Sums{} }

// AddInput adds rows.
func (f *SumFn) AddInput(a Sums, r Rows) (Sums, error) {
	if a.gram == nil {
		plan, err := planOf(f.Plan)
		if err != nil {
			return a, err
		}
		a.gram = like(plan)
	}
	adding <- struct{}{}
	defer func() { <-adding }()
	if err := a.gram.Add(context.Background(), r.Batch()); err != nil {
		return a, placed(r, err)
	}
	return a, nil
}

// adding holds the bundles that add rows: as many as there are processors. Engines work
// on more at a time, whose sums would drive each other from the cache.
var adding = make(chan struct{}, runtime.GOMAXPROCS(0))

// MergeAccumulators adds b to a.
func (f *SumFn) MergeAccumulators(a, b Sums) (Sums, error) { return merge(a, b) }

// ExtractOutput returns the sums.
func (f *SumFn) ExtractOutput(a Sums) Sums { return a }

// bundleFn adds up the rows of a bundle, of each key. A CombineFn alone leaves that to the
// engine: Flink would sort all rows by key and hand them about first.
type bundleFn struct {
	Sum SumFn

	sums map[int]Sums
}

func (f *bundleFn) StartBundle(context.Context, func(int, Sums)) { f.sums = map[int]Sums{} }

func (f *bundleFn) ProcessElement(_ context.Context, key int, r Rows, _ func(int, Sums)) (err error) {
	f.sums[key], err = f.Sum.AddInput(f.sums[key], r)
	return err
}

func (f *bundleFn) FinishBundle(_ context.Context, emit func(int, Sums)) {
	for _, key := range slices.Sorted(maps.Keys(f.sums)) {
		emit(key, f.sums[key])
	}
	f.sums = nil
}

// placed says in which file rows stand that gave an error, and which of them it is about.
func placed(r Rows, err error) error {
	var bad *rff.ValueError
	if errors.As(err, &bad) && bad.Row < int64(len(r.Numbers)) {
		return fmt.Errorf("%s: row %d, %s is %g: %s", r.File, r.Numbers[bad.Row], bad.Column, bad.Value, bad.Need)
	}
	return fmt.Errorf("%s: %w", r.File, err)
}

// mergeFn adds sums up.
type mergeFn struct{}

func (mergeFn) CreateAccumulator() Sums                   { return Sums{} }
func (mergeFn) AddInput(a, b Sums) (Sums, error)          { return merge(a, b) }
func (mergeFn) MergeAccumulators(a, b Sums) (Sums, error) { return merge(a, b) }
func (mergeFn) ExtractOutput(a Sums) Sums                 { return a }

// foldFn takes the shard from a key.
type foldFn struct{ Fanout int }

func (f *foldFn) ProcessElement(key int, s Sums) (int, Sums) { return key / f.Fanout, s }

// like returns an empty Gram of the plan.
func like(plan *krr.Gram) *krr.Gram { return likeWith(plan, func(*krr.GramSettings) {}) }

// likeWith returns an empty Gram of the plan with settings that change.
func likeWith(plan *krr.Gram, change func(*krr.GramSettings)) *krr.Gram {
	// One worker for each accumulator: the engine works on several at a time.
	m := inside.On(plan.Map(), blas.Engine{Workers: 1})
	s := plan.Settings()
	change(&s)
	return krr.NewGram(m, plan.Settings().Schema.Target.Columns, s)
}
