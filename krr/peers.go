package krr

// rounding is what margins, whose codes are ±1, and counts and levels differ by and are equal:
// rows that are alike stand together, and none below the others.
const rounding = 1e-9

// mostGroups is how many groups 2,000 rows are divided into, of 20 each.
const mostGroups = 100

// peers are the rows of the sample that a new row is compared with: those of its group.
type peers struct {
	rows  []int
	count float64 // as how many rows they count
}

// byGroup returns the rows of every group, of that many rows each.
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

// enough reports whether there are as many.
func (p *peers) enough(level float64) bool { return p.least(level) <= p.count }
