package blas

import "math"

// In sums of integers a target has too many digits for one product. It is the sum of Parts columns: column p has
// its digits from 2^(7p−42) to 2^(7p−36), an integer of 7 bits with a sign times 2^(7p−42). Its
// square is the sum of as many columns of 14 bits each, from 2⁻⁸⁴ on. With 2³¹ rows the sum of
// a column stays below 2⁴⁹ of its units.

// Parts is the number of columns of a target in sums of integers.
const Parts = 11

const (
	partBits = 7
	lastPart = 42 // 2^−lastPart is what targets are rounded to
	unitPart = lastPart / partBits
)

// part returns the unit of part p of targets.
func part(p int) float64 { return power(partBits*p - lastPart) }

// power returns 2^e for −1022 ≤ e ≤ 1023, faster than math.Ldexp.
func power(e int) float64 { return math.Float64frombits(uint64(1023+e) << 52) }

// SplitTarget adds the parts of y, |y| ≤ 2³³, to dst, which has Parts elements.
func SplitTarget[T Float](dst []T, y float64) { split(dst, y, partBits, lastPart) }

// split adds v to dst, rounded to a multiple of 2^−last, in pieces: piece p is the multiple of
// 2^(bits·p−last) that is nearest to what larger pieces leave.
func split[T Float](dst []T, v float64, bits, last int) {
	_, exp := math.Frexp(v) // |v| < 2^exp, and no piece above that
	for p := min(len(dst)-1, max(0, (exp+last)/bits)); p >= 0 && v != 0; p-- {
		e := bits*p - last
		piece := float64(math.RoundToEven(float64(v*power(-e))) * power(e))
		dst[p] += T(piece)
		v -= piece
	}
}

// addParts adds the parts of a row's targets to y, and the squares of these targets to yy.
func addParts(y, yy []float64, row []float32) {
	for t := 0; t < len(row); t += Parts {
		var sum float64
		for p, v := range row[t:][:Parts] {
			y[t+p] += float64(v)
			sum += float64(v)
		}
		square := float64(sum * sum)
		split(yy[t:][:Parts], square, 2*partBits, 2*lastPart)
		split(yy[t:][:Parts], math.FMA(sum, sum, -square), 2*partBits, 2*lastPart)
	}
}
