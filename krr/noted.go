package krr

// mostUnits is the number of groups, runs or different inputs up to which they are kept. The
// chance that more of them share a fold is below 2⁻⁶³.
const mostUnits = 64

// units are what share a fold, if there are few: groups, runs, or inputs of rows.
type units map[int64]struct{}

// note notes a unit of a row of positive weight.
func (u *units) note(unit int64) {
	if *u == nil {
		*u = units{}
	}
	if len(*u) <= mostUnits {
		(*u)[unit] = struct{}{}
	}
}
