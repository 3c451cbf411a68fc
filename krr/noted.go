package krr

// mostUnits is the number of groups, runs or different inputs up to which they are kept. The
// chance that more of them share a fold is below 2⁻⁶³.
const mostUnits = 64

// units are what shares a fold, if there are few: groups, runs, or inputs of rows. Where rows are kept
// apart, they are what these are by, single rows in place of inputs, each with the one that shares its fold.
type units map[int64]int64

// note notes a unit of a row of positive weight.
func (u *units) note(unit, folded int64) {
	if *u == nil {
		*u = units{}
	}
	if len(*u) <= mostUnits {
		(*u)[unit] = folded
	}
}
