package looks

import (
	"context"
	"iter"

	"github.com/rffgo/rff"
)

// Watched is a source that knows whether its rows were read. So a program can say whether
// features were chosen by a sample.
type Watched struct {
	rff.Source
	Read bool
}

// Batches returns the batches of the source.
func (w *Watched) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	w.Read = true
	return w.Source.Batches(ctx)
}
