package calibration

import (
	"cmp"
	"slices"

	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/portable"
)

// thin divides the weights by the design effect of the clusters (Kish, "Survey Sampling", 1965, §5.4):
// the variance of the sum of the rows' errors by c, in which rows of a cluster go together, over what
// it were if each row erred by itself (Liang and Zeger, "Longitudinal data analysis using
// generalized linear models", Biometrika 73, 1986). Ten groups of a hundred rows say as much as
// ten rows if the rows of a group err alike, and as a thousand if they do not. It reports whether
// weights have changed.
func (s *Rows) thin(c *Calibration) bool {
	clusters, rows := s.Cluster, s.Row
	s.Cluster = nil // the weights are for it
	if clusters == nil {
		return false
	}
	at := make([]int, len(s.Class))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(clusters[rows[a]], clusters[rows[b]]) })
	var together, single float64
	cluster, row, p := make([]float64, s.Classes), make([]float64, s.Classes), make([]float64, s.Classes)
	for k, i := range at {
		c.Logits(p, s.Scores.Row(i))
		portable.Softmax(p)
		p[s.Class[i]]--
		dense.AddTimes(row, s.weight[i], p)
		last := k == len(at)-1
		if last || rows[at[k+1]] != rows[i] {
			single += drain(row, cluster)
		}
		if last || clusters[rows[at[k+1]]] != clusters[rows[i]] {
			together += drain(cluster, nil)
		}
	}
	if !(together > single) {
		return false
	}
	for i := range s.weight {
		s.weight[i] *= single / together
	}
	return true
}

// drain clears v, and returns its square. It adds v to a vector unless that is nil.
func drain(v, to []float64) (square float64) {
	for j, d := range v {
		square += float64(d * d)
		if to != nil {
			to[j] += d
		}
	}
	clear(v)
	return square
}
