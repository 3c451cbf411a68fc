package krr

// rounding is the largest difference between margins (of codes ±1), counts or levels that count
// as equal. So of rows that are alike none stands below another.
const rounding = 1e-9

// mostGroups is the largest number of groups. With it, 2,000 rows give 20 to each group.
const mostGroups = 100

// peers are the rows of the sample that a new row is compared with: those of its group.
type peers struct {
	rows  []int
	count float64 // as how many rows they count
}

// byGroup returns the peers of every group. Row i counts as count[i] rows and is in group[i],
// or in group 0 if group is nil.
func byGroup(group, count []float64) map[float64]*peers {
	groups := map[float64]*peers{}
	for i, n := range count {
		of := 0.0
		if group != nil {
			of = group[i]
		}
		p := groups[of]
		if p == nil {
			p = new(peers)
			groups[of] = p
		}
		p.rows, p.count = append(p.rows, i), p.count+n
	}
	return groups
}

// least returns how many of the rows a new row must stand out from to be outside at that
// level: level·(rows+1).
func (p *peers) least(level float64) float64 { return float64(level*(p.count+1)) * (1 - rounding) }

// enough reports whether there are as many rows as least returns.
func (p *peers) enough(level float64) bool { return p.least(level) <= p.count }
