// Package reservoir says which rows a sample of a data set has, so that all who draw
// it, in whatever order they see the rows, draw the same ones.
package reservoir

import "math/rand/v2"

// Bounds of a sample.
const (
	MostRows = 10_000
	// Numbers of all inputs: 40 MiB, which 10,000 rows of 524 inputs fill.
	MostValues = 5 << 20
)

// Most returns the rows of a sample of rows of so many inputs.
func Most(width int) int { return max(1, min(MostRows, MostValues/max(width, 1))) }

// Slots returns the function that says where rows, from most on and one after the
// other, go in a sample of most rows which the first ones fill: in the place of which
// row, or −1 for those that are not drawn. Every row is as likely as any other
// (Vitter 1985, algorithm R: row i goes into the sample with probability most/(i+1)).
// The seed is fixed.
func Slots(most int) func(row int64) int {
	rng := rand.New(rand.NewPCG(0x5ca1ab1e, 0))
	return func(row int64) int {
		if k := rng.Int64N(row + 1); k < int64(most) {
			return int(k)
		}
		return -1
	}
}
