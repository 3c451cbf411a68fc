package look

import (
	"context"
	"iter"

	"github.com/rffgo/rff"
)

// Watched is a source that knows whether its rows were read: who chose features by a sample
// says so.
type Watched struct {
	rff.Source
	Read bool
}

// Batches returns those of the source.
func (w *Watched) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	w.Read = true
	return w.Source.Batches(ctx)
}
