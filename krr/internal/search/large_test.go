package search

import (
	"testing"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/krr/internal/sample"
)

// More features are taken of many rows that hold them apart from noise: 32 for each.
func TestMoreFeaturesOfManyRows(t *testing.T) {
	for _, c := range []struct {
		rows, features, before int
		want                   bool
	}{
		{60000, 1024, 512, true},
		{60000, 1875, 1024, true},
		{60000, 1876, 1024, false}, // fewer than 32 rows each
		{60000, 512, 512, false},
		{60000, 256, 512, false},
		{40000, 1024, 512, false}, // few rows in the first split
	} {
		s := sized(c.rows, 54)
		s.size.features = c.before
		s.splits = []Split{{Train: &sample.Rows{X: blas.General[float64]{Rows: c.rows * 4 / 5}}}}
		if got := s.moreFor(size{features: c.features}); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
