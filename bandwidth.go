package rff

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/limit"
	"github.com/rffgo/rff/internal/portable"
	"github.com/rffgo/rff/internal/selection"
)

const errFar = "rows lie so far apart that distances overflow: scale the columns"

// MedianDistance returns the median Euclidean distance between two rows of x,
// over all pairs of rows of a random sample: the usual first guess of a Gaussian σ.
// sample is the number of rows to draw, at least 2. If x has no more rows than that,
// all are used and src is not read. The cost is sample²·d/2 and
// sample²/2 float64 of memory.
//
// Errors: *ParameterError, *ValueError; *DegenerateDataError if there are
// fewer than two rows, or the median is zero because more than half of the pairs
// are equal.
func MedianDistance(x mat.Matrix, sample int, src rand.Source) (float64, error) {
	const what = "the median distance"
	rows, _, err := sampleRows(x, sample, 2, src)
	if err != nil {
		return 0, err
	}
	n := rows.Rows
	if n < 2 {
		return 0, &DegenerateDataError{what, "it needs at least two rows"}
	}
	if !limit.Fits(n, n) {
		return 0, &ParameterError{Name: "sample", Value: n, Need: "has too many pairs for memory: some thousands of rows are enough"}
	}
	all := make([]float64, 0, n*(n-1)/2)
	for i := range n {
		for j := range i {
			all = append(all, distance(rows.Row(i), rows.Row(j)))
		}
	}
	mid := len(all) / 2
	m := selection.Kth(all, mid)
	if len(all)%2 == 0 {
		m = float64(slices.Max(all[:mid])/2) + float64(m/2)
	}
	switch {
	case math.IsInf(m, 0):
		return 0, &DegenerateDataError{what, errFar}
	case slices.Max(all) == 0:
		return 0, &DegenerateDataError{what, "all rows are equal"}
	case m == 0:
		return 0, &DegenerateDataError{what, "more than half of the pairs of rows are equal, so it is zero"}
	}
	return m, nil
}

// NeighbourDistance returns the mean Euclidean distance of a row to its k-th
// nearest other row: the Gaussian σ of Shahrampour et al. (2018), with k = 50; 0 means
// 50. The mean is over a random sample of the rows, at least 1. Neighbours are sought
// among all rows of x, since their distance depends on how dense the data are. The
// cost is sample·n·d.
//
// Errors: those of MedianDistance; *DegenerateDataError also if x has no more than k rows.
func NeighbourDistance(x mat.Matrix, k, sample int, src rand.Source) (float64, error) {
	const what = "the neighbour distance"
	k = cmp.Or(k, 50)
	if k < 1 {
		return 0, &ParameterError{Name: "k", Value: k, Need: "must be at least 1"}
	}
	rows, query, err := sampleRows(x, sample, 1, src)
	if err != nil {
		return 0, err
	}
	n, _ := x.Dims()
	if n <= k {
		return 0, &DegenerateDataError{what, fmt.Sprintf("there must be more rows than neighbours, and the distance is that to neighbour %d of %d rows: give more rows, or take a number or the median distance for the bandwidth", k, n)}
	}
	if !limit.Fits(len(query), k+2) {
		return 0, &ParameterError{Name: "sample", Value: sample, Need: "has too many neighbours for memory: some thousands of rows are enough"}
	}
	// The k smallest distances of each query, sorted: k is small, so that is
	// as fast as a heap.
	nearest := make([][]float64, len(query))
	for i := range nearest {
		nearest[i] = make([]float64, 0, k+2)
	}
	block := newRowReader(x)
	for from := 0; from < n; from += copyBlock {
		b := block.rows(from, min(from+copyBlock, n))
		for i := range query {
			near, at := nearest[i], rows.Row(i)
			// Most rows are farther by their squares, which takes no root; it allows for a few roundings.
			farther := func() float64 {
				if len(near) < k {
					return math.Inf(1)
				}
				return near[k-1] * near[k-1] * (1 + 1e-14)
			}
			far := farther()
			for j := range b.Rows {
				if from+j == query[i] || squareDistance(at, b.Row(j)) > far {
					continue
				}
				d := distance(at, b.Row(j))
				if len(near) == k && d >= near[k-1] {
					continue
				}
				place, _ := slices.BinarySearch(near, d)
				near = slices.Insert(near, place, d)
				near = near[:min(len(near), k)]
				far = farther()
			}
			nearest[i] = near
		}
	}
	var sum float64
	for _, near := range nearest {
		sum += near[k-1]
	}
	if math.IsInf(sum, 0) {
		return 0, &DegenerateDataError{what, errFar}
	}
	if sum == 0 {
		return 0, &DegenerateDataError{what, "every row sampled has that many equal rows, so it is zero"}
	}
	return sum / float64(len(query)), nil
}

// distance returns ‖x−y‖, with the same bits on every platform. Squares of differences beyond 1e±150
// lose digits, or are 0 or infinite; it takes them in the unit of the largest.
func distance(x, y []float64) float64 {
	s := squareDistance(x, y)
	if s > 1e-280 && s < math.MaxFloat64 {
		return math.Sqrt(s)
	}
	var most float64
	for j, v := range x {
		most = max(most, math.Abs(v-y[j]))
	}
	if most == 0 || math.IsInf(most, 0) {
		return most
	}
	s = 0
	for j, v := range x {
		d := (v - y[j]) / most
		s += float64(d * d)
	}
	return most * math.Sqrt(s)
}

// squareDistance returns ‖x−y‖².
func squareDistance(x, y []float64) float64 {
	var s float64
	for j, v := range x {
		d := v - y[j]
		s += float64(d * d)
	}
	return s
}

// sampleRows returns a copy of sample distinct rows of x drawn without replacement,
// in their order, and their indices; all rows if x has no more. A sample below least is an error.
func sampleRows(x mat.Matrix, sample, least int, src rand.Source) (rows blas.General[float64], index []int, err error) {
	if sample < least {
		return rows, nil, &ParameterError{Name: "sample", Value: sample, Need: "must be at least " + strconv.Itoa(least)}
	}
	if err := checkMatrix("x", x); err != nil {
		return rows, nil, err
	}
	n, d := x.Dims()
	if err := given("src", src == nil && sample < n); err != nil {
		return rows, nil, err
	}
	if err := checkFinite(x); err != nil {
		return rows, nil, err
	}
	index = sampleIndices(n, sample, src)
	rows = blas.NewGeneral[float64](len(index), d)
	for i, q := range index {
		copyRows(rows.RowRange(i, i+1), x, q)
	}
	return rows, index, nil
}

// sampleIndices returns min(n, count) distinct indices below n in increasing
// order, each set equally likely: D. Knuth, TAOCP 2, algorithm S (selection
// sampling).
func sampleIndices(n, count int, src rand.Source) []int {
	all, count := count >= n, min(count, n)
	chosen := make([]int, 0, count)
	for i := 0; len(chosen) < count; i++ {
		if all || float64(n-i)*portable.Uniform(src) < float64(count-len(chosen)) {
			chosen = append(chosen, i)
		}
	}
	return chosen
}
