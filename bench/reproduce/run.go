package reproduce

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rffgo/rff/bench/catalog"
	"github.com/rffgo/rff/cmd/rff/sets"
)

// Result is what a run has found.
type Result struct {
	Options  Options
	Protocol *Protocol
	Planned  []Key
	Cells    []Cell            // that are done, in the order of Planned
	Missing  map[string]string // sets that are not there, and why
	Failures map[Key]string    // cells that cannot be done, and why
}

// Complete reports whether every cell is done or has no data.
func (r *Result) Complete() bool {
	n := len(r.Cells)
	for _, k := range r.Planned {
		if _, ok := r.Missing[k.Data]; ok {
			n++
		}
	}
	return n == len(r.Planned)
}

// Machines names the machines that the cells were measured on, or what there is if
// none says so.
func (r *Result) Machines(otherwise string) string {
	var all []string
	for _, c := range r.Cells {
		if c.Machine != "" && !slices.Contains(all, c.Machine) {
			all = append(all, c.Machine)
		}
	}
	if all == nil {
		return otherwise
	}
	return strings.Join(all, " | ")
}

// Of returns the cells of a row of a table, by repetition.
func (r *Result) Of(data, sampler string, size int, loss string) []Cell {
	var out []Cell
	for _, c := range r.Cells {
		if c.Data == data && c.Sampler == sampler && c.Size == size && c.Loss == loss {
			out = append(out, c)
		}
	}
	return out
}

// Rows returns the planned cells of the first repetition, one for each row of a table:
// by set, sampler, number of features and loss, in the order of the protocol.
func (r *Result) Rows() []Key {
	var rows []Key
	for _, set := range r.Protocol.Sets {
		for _, s := range r.Protocol.Samplers {
			for _, k := range r.Planned {
				if k.Rep == 0 && k.Data == set && k.Sampler == s {
					rows = append(rows, k)
				}
			}
		}
	}
	return rows
}

// Progress is how far a run is.
type Progress struct {
	Done, Total int
	Next        Key
	Left        time.Duration // estimate; negative: unknown
}

// Run measures the cells that record has not, and returns all of them. Where the data
// set is missing or a cell cannot be done, the others go on. If ctx ends, the result
// has what is done until then, and the error is the context's. machine is noted in
// every cell.
func Run(ctx context.Context, p *Protocol, o Options, record *Record, machine string, progress func(Progress)) (*Result, error) {
	keys, err := p.Plan(o)
	if err != nil {
		return nil, err
	}
	r := &Result{Options: o, Protocol: p, Planned: keys, Missing: map[string]string{}, Failures: map[Key]string{}}
	left := 0.0
	for _, k := range keys {
		if _, ok := record.Find(k); !ok {
			left += p.Cost(k)
		}
	}
	err = r.measure(ctx, p.New(o), record, machine, left, progress)
	r.Cells = r.Cells[:0]
	for _, k := range keys {
		if c, ok := record.Find(k); ok {
			r.Cells = append(r.Cells, c)
		}
	}
	return r, err
}

// measure does the cells that are not done, whose estimated cost is left.
func (r *Result) measure(ctx context.Context, b Bench, record *Record, machine string, left float64, progress func(Progress)) error {
	start, spent := time.Now(), 0.0
	for i, k := range r.Planned {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if _, ok := record.Find(k); ok {
			continue
		}
		cost := r.Protocol.Cost(k)
		if _, ok := r.Missing[k.Data]; !ok {
			if progress != nil {
				p := Progress{i, len(r.Planned), k, -1}
				if spent > 0 {
					p.Left = time.Duration(float64(time.Since(start)) / spent * left)
				}
				progress(p)
			}
			c := Cell{Key: k, Values: map[string]float64{}, Seconds: map[string]float64{}, Machine: machine}
			err := b.Measure(ctx, &c)
			var folder *sets.FolderError
			var unknown *sets.UnknownSetError
			switch {
			case err == nil:
				if err := record.Add(c); err != nil {
					return err
				}
				spent += cost
			case ctx.Err() != nil:
				return context.Cause(ctx)
			case errors.As(err, &folder):
				r.Missing[k.Data] = err.Error() + "; to be had from: " + catalog.Where(k.Data)
			case errors.As(err, &unknown):
				r.Missing[k.Data] = "data set " + strconv.Quote(k.Data) + " is not among those that rff reads; to be had from: " + catalog.Where(k.Data)
			default:
				r.Failures[k] = err.Error()
			}
		}
		left -= cost
	}
	return nil
}
