// Package selection finds an order statistic without sorting.
package selection

// Kth returns the value that would be at index k of v if v were sorted. It reorders v so that no value
// before k is larger and none after it is smaller. v has no NaN. (Hoare, "Algorithm 65: Find", CACM 4,
// 1961.)
func Kth(v []float64, k int) float64 {
	for lo, hi := 0, len(v)-1; lo < hi; {
		// The median of three keeps ordered values from being the worst case.
		a, b, c := v[lo], v[lo+(hi-lo)/2], v[hi]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := lo, hi
		for i <= j {
			for v[i] < pivot {
				i++
			}
			for pivot < v[j] {
				j--
			}
			if i <= j {
				v[i], v[j] = v[j], v[i]
				i, j = i+1, j-1
			}
		}
		switch { // v[lo:j+1] ≤ pivot ≤ v[i:hi+1], and what lies between equals pivot
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return v[k]
		}
	}
	return v[k]
}
