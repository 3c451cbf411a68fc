package main

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/sampling"
)

// Of landmarks with a metric the search returns where learning begins, one bandwidth; the
// metric is learned by the fit, and gains where the targets depend on one input of many.
func TestSearchForLandmarksWithMetric(t *testing.T) {
	const dim = 6
	r := rand.New(rand.NewPCG(1, 2))
	rows := func(n int) *dataset.Table {
		data := &dataset.Table{X: blas.NewGeneral[float64](n, dim), Coding: dataset.NewCoding(nil)}
		for i := range n {
			for j := range dim {
				data.X.Row(i)[j] = r.NormFloat64()
			}
			data.Y = append(data.Y, math.Sin(3*data.X.Row(i)[0]))
		}
		return data
	}
	d := &divided{learn: rows(900), measure: rows(600), seed: 1}
	lowest := map[bool]float64{}
	for _, metric := range []bool{false, true} {
		by := sampling.Nystrom{Metric: metric}
		k, err := d.search(context.Background(), by, []string{"gaussian", "matern:nu=1.5"}, 64)
		if err != nil {
			t.Fatal(err)
		}
		if len(inside.FamilyOf(k, 1).Bandwidths) != 1 {
			t.Errorf("metric %v: the kernel is %v", metric, k)
		}
		s := &search{divided: d, sampler: by, features: 64, lowest: math.Inf(1)}
		if lowest[metric], err = s.try(context.Background(), k); err != nil {
			t.Fatal(err)
		}
	}
	if lowest[true] > 0.5*lowest[false] {
		t.Errorf("squared error %.3g with a metric, %.3g without", lowest[true], lowest[false])
	}
}
