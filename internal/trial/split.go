package trial

import (
	"cmp"
	"context"
	"slices"

	"github.com/rffgo/rff/internal/classes"
	"github.com/rffgo/rff/internal/fold"
)

// Split is the rows of one split: to fit to, and held out.
type Split struct {
	Train, Valid *Rows
	// Slot of each held-out row: the slots of the first splits count from 0 on, and a row
	// that a later repeat holds out again has the slot that it had before. nil: in order.
	Slot []int
}

// Folds says how rows are split.
type Folds struct {
	Seed    uint64
	Of      int // number of folds; a split holds out one of them
	Count   int // how many of the folds are held out, one after the other; all of them if there are repeats
	Repeats int // how often all of this is done, each time with other folds; at least 1
	From    int // the splits of that many repeats are left out, since they are at hand
	Most    int // held-out rows of a split; the others of its fold are fitted to
}

// Splits returns the splits of rows, repeat by repeat. Rows of a group share a fold, and
// without groups rows of equal inputs do. Folds of a classification have equal shares of each
// class, and as far as possible so have the first rows of every part. If there are fewer groups
// of rows than folds, there are fewer splits than asked for, or none.
func (f Folds) Splits(r *Rows) []Split {
	out, _ := f.SplitsUntil(context.Background(), r)
	return out
}

// SplitsUntil is Splits, unless ctx is done before: then it returns the error of ctx.
func (f Folds) SplitsUntil(ctx context.Context, r *Rows) ([]Split, error) {
	units := r.units()
	var out []Split
	slots := map[int]int{} // of a row
	for repeat := range max(1, f.Repeats) {
		order := dealt(r, units, f.Seed+uint64(repeat)*0x632be59bd9b4e019)
		for fold := range f.Count {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			var train, valid []int
			for i, u := range order {
				if i%f.Of == fold && len(valid) < f.Most {
					valid = append(valid, u.rows...)
				} else {
					train = append(train, u.rows...)
				}
			}
			if len(train) == 0 || len(valid) == 0 {
				continue
			}
			train, valid = r.spread(train), r.spread(valid)
			var s Split
			for _, row := range valid {
				slot, ok := slots[row]
				if !ok {
					slot = len(slots)
					slots[row] = slot
				}
				s.Slot = append(s.Slot, slot)
			}
			if repeat >= f.From {
				s.Train, s.Valid = r.Pick(train), r.Pick(valid)
				s.Train.Kept, s.Valid.Kept = r.Kept, r.Kept
				out = append(out, s)
			}
		}
	}
	return out, nil
}

// unit is rows that share a fold.
type unit struct {
	key  uint64
	rows []int
}

// Unit returns a key that all rows which must share the fold of row i have in common: its group, or
// without groups a hash of its inputs.
func (r *Rows) Unit(i int) uint64 {
	if r.Group != nil {
		return r.Group[i]
	}
	return hash(0, r.X.Row(i))
}

// units returns the rows that share a fold, in the order of their first rows.
func (r *Rows) units() []unit {
	at := make(map[uint64]int, r.X.Rows)
	var out []unit
	for i := range r.X.Rows {
		key := r.Unit(i)
		u, ok := at[key]
		if !ok {
			u = len(out)
			at[key], out = u, append(out, unit{key: key})
		}
		out[u].rows = append(out[u].rows, i)
	}
	return out
}

// dealt returns the units in a random order, sorted by the class of their first row, so that
// the units n apart have an equal share of every class.
func dealt(r *Rows, units []unit, seed uint64) []unit {
	type card struct {
		class int
		key   uint64
		unit
	}
	cards := make([]card, len(units))
	for i, u := range units {
		cards[i] = card{r.class(u.rows[0]), fold.Mix(fold.Mix(seed) + u.key), u}
	}
	slices.SortStableFunc(cards, func(a, b card) int { return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.key, b.key)) })
	out := make([]unit, len(cards))
	for i, c := range cards {
		out[i] = c.unit
	}
	return out
}

// class returns the class of row i, or 0 for a regression.
func (r *Rows) class(i int) int {
	if r.Labels == nil {
		return 0
	}
	class, _ := classes.Of(r.Y.Row(i))
	return class
}

// spread returns row numbers in the order of the rows, but for a classification, in which
// the rows of every class are spread evenly.
func (r *Rows) spread(at []int) []int {
	slices.Sort(at)
	if r.Labels == nil {
		return at
	}
	count, rank := map[int]int{}, make(map[int]float64, len(at))
	for _, i := range at {
		count[r.class(i)]++
	}
	seen := map[int]int{}
	for _, i := range at {
		c := r.class(i)
		rank[i] = (float64(seen[c]) + 0.5) / float64(count[c])
		seen[c]++
	}
	slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(rank[a], rank[b]) })
	return at
}
