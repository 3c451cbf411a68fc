package portable_test

import (
	"math"
	"testing"

	"github.com/rffgo/rff/internal/portable"
)

// fixed is a source that always gives the same bits.
type fixed uint64

func (f fixed) Uint64() uint64 { return uint64(f) }

// Uniform is the middle of the interval of 2⁻⁵³ that the top 53 bits name.
func TestUniform(t *testing.T) {
	for bits, want := range map[uint64]float64{0: 0x1p-54, 1<<11 - 1: 0x1p-54, 1 << 11: 0x3p-54, 1 << 63: 0.5, math.MaxUint64: 1 - 0x1p-53} {
		// From ½ on the middle is a tie, which rounds to even; 1 is no draw.
		if got := portable.Uniform(fixed(bits)); got != want || !(got > 0 && got < 1) {
			t.Errorf("bits %x: %x, want %x", bits, got, want)
		}
	}
}
