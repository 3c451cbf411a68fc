package fits

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/message"
)

// Unseen counts rows with a word that the fit has not seen, where rff.Schema.Unseen takes it for
// none of the words of its column. They can be told by that: another row has an input that is not
// 0.
type Unseen struct {
	words              []wordInputs
	rows, count, first int64
}

// wordInputs are the inputs from up to below to of the words of a column.
type wordInputs struct {
	name     string
	from, to int
	found    bool // a word that the fit has not seen
}

// NewUnseen returns the count for rows of that schema.
func NewUnseen(s rff.Schema) *Unseen {
	u, at := &Unseen{}, 0
	for i, c := range s.Inputs {
		from := at
		if at += inside.Width(c); c.Words != nil {
			u.words = append(u.words, wordInputs{name: cmp.Or(c.Name, fmt.Sprint("column ", i+1)), from: from, to: at})
		}
	}
	return u
}

// Observe looks at the inputs of the next row, before they are scaled.
func (u *Unseen) Observe(x []float64) {
	u.rows++
	any := false
	for i := range u.words {
		w := &u.words[i]
		if slices.ContainsFunc(x[w.from:w.to], func(v float64) bool { return v != 0 }) {
			continue
		}
		any, w.found = true, true
	}
	if any {
		u.count++
		u.first = cmp.Or(u.first, u.rows)
	}
}

// Note says how many rows have such a word, or "".
func (u *Unseen) Note() string {
	if u.count == 0 {
		return ""
	}
	var columns []string
	for _, w := range u.words {
		if w.found {
			columns = append(columns, w.name)
		}
	}
	return fmt.Sprintf("rows with a word that the fit has not seen, which is taken for none of the words: %d of %d; first: row %d; columns: %s", u.count, u.rows, u.first, message.Names(columns))
}

// Watch returns data, of which u observes the rows.
func (u *Unseen) Watch(data rff.Source) rff.Source {
	if u.words == nil {
		return data
	}
	return &watched{data, u}
}

type watched struct {
	rff.Source
	unseen *Unseen
}

func (w *watched) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	return inside.Batches(ctx, w.Source, func(b *rff.Batch) error {
		for i := range b.X.Rows {
			w.unseen.Observe(b.X.Row(i))
		}
		return nil
	})
}
