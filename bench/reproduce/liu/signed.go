package liu

import (
	"math"
	"slices"

	"github.com/rffgo/rff/cmd/rff/compare"
)

// ranked is what Wilcoxon's signed-rank test says of differences, one of each data set.
type ranked struct {
	Center    float64 // median of the means of all pairs, after Hodges and Lehmann
	Low, High float64 // of its interval of 95 %; infinite for fewer than six differences
	P         float64 // of differences as one-sided by chance; 1 without any
	N         int
}

// signedRank tests whether differences are symmetric about 0: F. Wilcoxon, "Individual
// comparisons by ranking methods", Biometrics Bulletin 1:80–83, 1945, the test that J.
// Demšar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7:1–30,
// 2006, recommends for two learners on several sets. The probabilities are exact.
// Differences of 0 are left out of the test, equal ones share their ranks; interval and
// centre are of all (J. L. Hodges, E. L. Lehmann, Annals of Mathematical Statistics
// 34:598–611, 1963).
func signedRank(d []float64) ranked {
	r := ranked{N: len(d), Low: math.Inf(-1), High: math.Inf(1), P: 1}
	if len(d) == 0 {
		return r
	}
	var walsh []float64
	for i := range d {
		for _, b := range d[i:] {
			walsh = append(walsh, (d[i]+b)/2)
		}
	}
	slices.Sort(walsh)
	m := len(walsh)
	r.Center = (walsh[(m-1)/2] + walsh[m/2]) / 2
	// The k-th least and the k-th largest of these means have between them the centre
	// with a probability of 1 − 2·P(T < k), T the rank sum without ties.
	ranks := make([]int, len(d))
	for i := range ranks {
		ranks[i] = i + 1
	}
	counts := rankSums(ranks)
	all := math.Pow(2, float64(len(d)))
	below := 0.0
	for k := 1; k <= m/2; k++ {
		if below += counts[k-1]; below/all > 0.05/2 {
			break
		}
		r.Low, r.High = walsh[k-1], walsh[m-k]
	}
	r.P = signedP(d)
	return r
}

// signedP is the probability, by chance signs, of a rank sum at least as one-sided.
func signedP(d []float64) float64 {
	d = slices.DeleteFunc(slices.Clone(d), func(v float64) bool { return v == 0 })
	if len(d) == 0 {
		return 1
	}
	slices.SortFunc(d, func(a, b float64) int {
		switch {
		case math.Abs(a) < math.Abs(b):
			return -1
		case math.Abs(a) > math.Abs(b):
			return 1
		}
		return 0
	})
	ranks := make([]int, len(d)) // twice the rank, which ties may leave a half
	for i := 0; i < len(d); {
		j := i
		for j < len(d) && math.Abs(d[j]) == math.Abs(d[i]) {
			j++
		}
		for t := i; t < j; t++ {
			ranks[t] = i + j + 1
		}
		i = j
	}
	sum := 0
	for i, v := range d {
		if v > 0 {
			sum += ranks[i]
		}
	}
	counts := rankSums(ranks)
	var below, above float64
	for at, c := range counts {
		if at <= sum {
			below += c
		}
		if at >= sum {
			above += c
		}
	}
	return compare.ThreeDigits(math.Min(1, 2*math.Min(below, above)/math.Pow(2, float64(len(d)))))
}

// rankSums returns in how many ways signs give each sum of the ranks of the positive.
func rankSums(ranks []int) []float64 {
	total := 0
	for _, r := range ranks {
		total += r
	}
	counts := make([]float64, total+1)
	counts[0] = 1
	for _, r := range ranks {
		for at := total; at >= r; at-- {
			counts[at] += counts[at-r]
		}
	}
	return counts
}
