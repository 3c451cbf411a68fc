package sampling

import (
	"cmp"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/portable"
)

// The values of Pool.Pick.
const (
	pickWithout     = "without"
	pickMultinomial = "multinomial"
	pickTop         = "top"
	// pickHighest is top for the weights of SES, of which 0 is one as good as others.
	pickHighest = "highest"
)

// draw picks n of the candidates with probabilities prob, as Pool.Pick says, and
// returns them in ascending order, with the number of times each was drawn.
func draw(pick, sampler string, prob []float64, n int, src rand.Source) (picked, count []int, err error) {
	switch pick {
	case pickMultinomial:
		picked, count = multinomial(prob, n, src)
		return picked, count, nil
	case pickWithout, "":
		picked, err = withoutReplacement(sampler, prob, n, src)
	case pickTop:
		picked, err = least(sampler, prob, n, func(p float64) float64 { return -p })
	case pickHighest:
		keys := make([]float64, len(prob))
		for c, p := range prob {
			keys[c] = -p
		}
		picked = smallest(upTo(len(prob)), keys, n)
	default:
		return nil, nil, inside.Unknown("pick of "+sampler, pick, pickWithout, pickMultinomial, pickTop)
	}
	if err != nil {
		return nil, nil, err
	}
	slices.Sort(picked)
	return picked, slices.Repeat([]int{1}, len(picked)), nil
}

// cumulative returns the sums of the first elements of v.
func cumulative(v []float64) []float64 {
	cum := make([]float64, len(v))
	var sum float64
	for i, p := range v {
		sum += p
		cum[i] = sum
	}
	return cum
}

// invert draws n candidates from their cumulative distribution, with replacement. A candidate of
// probability zero has the same cumulative sum as the one before it, so it is never the first
// above u.
func invert(cum []float64, n int, src rand.Source) []int {
	sum, hits := cum[len(cum)-1], make([]int, n)
	for i := range hits {
		u := portable.Uniform(src) * sum
		// u may round up to sum. Then the smallest index that reaches sum is drawn.
		hits[i] = min(sort.Search(len(cum), func(j int) bool { return cum[j] > u }), sort.SearchFloat64s(cum, sum))
	}
	return hits
}

// multinomial draws n candidates and counts how often each was drawn.
func multinomial(prob []float64, n int, src rand.Source) (picked, count []int) {
	hits := invert(cumulative(prob), n, src)
	slices.Sort(hits)
	for _, h := range hits {
		if k := len(picked); k > 0 && picked[k-1] == h {
			count[k-1]++
			continue
		}
		picked, count = append(picked, h), append(count, 1)
	}
	return picked, count
}

// withoutReplacement is the Gumbel top-k trick in its exponential form: the n
// smallest of Eᵢ/pᵢ, Eᵢ standard exponential, are n draws without replacement
// (Efraimidis and Spirakis, "Weighted random sampling with a reservoir", 2006).
func withoutReplacement(sampler string, prob []float64, n int, src rand.Source) ([]int, error) {
	return least(sampler, prob, n, func(p float64) float64 { return -portable.Log(portable.Uniform(src)) / p })
}

// least returns the n candidates of positive probability whose keys are smallest. It asks for the
// keys of all candidates, so that the draws of one do not depend on the scores of others.
func least(sampler string, prob []float64, n int, key func(p float64) float64) ([]int, error) {
	order, keys := make([]int, 0, len(prob)), make([]float64, len(prob))
	for i, p := range prob {
		if keys[i] = key(p); p > 0 {
			order = append(order, i)
		}
	}
	if len(order) < n {
		return nil, dataError(sampler, fmt.Sprintf("only %d candidate frequencies have a positive score and %d are asked for: ask for fewer features, enlarge the pool, or pick with replacement", len(order), n))
	}
	return smallest(order, keys, n), nil
}

// sortBy sorts indices by key, ties by index.
func sortBy(index []int, key []float64) {
	slices.SortFunc(index, func(a, b int) int {
		return cmp.Or(cmp.Compare(key[a], key[b]), a-b)
	})
}

// smallest moves the n indices of smallest key to the front, in any order and in linear
// time, and returns them (Hoare's FIND). Among equal keys, smaller indices come first.
func smallest(index []int, key []float64, n int) []int {
	less := func(a, b int) bool { return key[a] < key[b] || (key[a] == key[b] && a < b) }
	for lo, hi := 0, len(index); hi-lo > 1 && n > lo && n < hi; {
		// The median of three keeps ordered keys from being the worst case.
		a, b, c := index[lo], index[(lo+hi)/2], index[hi-1]
		if less(b, a) {
			a, b = b, a
		}
		if less(c, b) {
			b = c
			if less(b, a) {
				b = a
			}
		}
		i, j := lo, hi-1
		for i <= j {
			for less(index[i], b) {
				i++
			}
			for less(b, index[j]) {
				j--
			}
			if i <= j {
				index[i], index[j] = index[j], index[i]
				i, j = i+1, j-1
			}
		}
		// [lo, j] ≤ pivot ≤ [i, hi)
		switch {
		case n <= j:
			hi = j + 1
		case n >= i:
			lo = i
		default:
			lo = hi
		}
	}
	return index[:n]
}

// intN returns a uniform draw from 0…n−1, with a bias below n/2⁶⁴.
func intN(src rand.Source, n int) int {
	hi, _ := bits.Mul64(src.Uint64(), uint64(n))
	return int(hi)
}

// upTo returns 0…n−1.
func upTo(n int) []int {
	index := make([]int, n)
	for i := range index {
		index[i] = i
	}
	return index
}
