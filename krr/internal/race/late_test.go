package race

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/trial"
)

// looks is a context that is cancelled after so many looks at it.
type looks struct {
	context.Context
	most int64
	seen atomic.Int64
}

func (l *looks) Err() error {
	if l.seen.Add(1) > l.most {
		return context.Canceled
	}
	return nil
}

// wideRows returns rows of many columns of sizes.
func wideRows(n, in int) *trial.Rows {
	rows := waves(n, 0.1)
	rows.X = blas.NewGeneral[float64](n, in)
	rows.Low, rows.High = make([]float64, in), make([]float64, in)
	for i := range n {
		x := rows.X.Row(i)
		for j := range x {
			x[j] = math.Exp2(float64(i*i*i*(j+1)%10007) / 400)
			rows.High[j] = max(rows.High[j], x[j])
		}
	}
	return rows
}

// A race looks at its context for every column that it finds a scaling of, for blocks of rows whose distances
// it measures, and for every split. It ends at the first look after the end.
func TestCancelledBeginning(t *testing.T) {
	const in = 60
	rows := wideRows(150, in)
	begin := func(most int64) (int64, error) {
		r, err := New(rows, 150, Settings{Kernels: []rff.Stationary{rff.NewLaplacian()}, Budget: time.Second, Engine: rff.Engine{Workers: 1}})
		if err != nil {
			t.Fatal(err)
		}
		ctx := &looks{Context: context.Background(), most: most}
		err = r.prepare(ctx)
		return ctx.seen.Load(), err
	}
	all, err := begin(1 << 40)
	if err != nil || all < 4*in {
		t.Fatalf("%d looks for four scalings of %d columns, %v", all, in, err)
	}
	for most := int64(0); most < all; most += 1 + all/60 {
		// Each of four loops over columns, and the distances of each scaling, look once more.
		if n, err := begin(most); !errors.Is(err, context.Canceled) || n > most+10 {
			t.Fatalf("cancelled after %d of %d looks: %d looks, %v", most, all, n, err)
		}
	}
}
