package looks

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/rffgo/rff/internal/look"
)

// The form of Moments in a file. A bin with nothing in it is left out.
type momentsFile struct {
	N    int64     `json:"n"`
	Min  float64   `json:"min"`
	Max  float64   `json:"max"`
	Bins []binFile `json:"bins"`
}

type binFile struct {
	At      int      `json:"at"`
	Sum     *big.Int `json:"sum"`
	Squares *big.Int `json:"squares"`
}

// moments are look.Moments in a file.
type moments look.Moments

// MarshalJSON writes m.
func (m moments) MarshalJSON() ([]byte, error) {
	f := momentsFile{m.N, m.Min, m.Max, []binFile{}}
	for i, b := range m.Bins {
		if b != (look.Bin{}) {
			f.Bins = append(f.Bins, binFile{m.First + i, look.Whole(b.Sum[:]), look.Whole(b.Squares[:])})
		}
	}
	return json.Marshal(f)
}

// UnmarshalJSON reads m.
func (to *moments) UnmarshalJSON(data []byte) error {
	m := (*look.Moments)(to)
	var f momentsFile
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	*m = look.Moments{N: f.N, Min: f.Min, Max: f.Max}
	for _, b := range f.Bins {
		if b.At < 0 || b.At > 2046>>3 || b.Sum == nil || b.Squares == nil || b.Sum.BitLen() > 127 || b.Squares.Sign() < 0 || b.Squares.BitLen() > 191 {
			return fmt.Errorf("bin %d of a sum is damaged", b.At)
		}
		var in look.Bin
		words(in.Sum[:], b.Sum)
		words(in.Squares[:], b.Squares)
		m.Bins[m.Grow(b.At)].Add(in.Sum, in.Squares)
	}
	// Without numbers there must be no sum, and with numbers the variance must not be below 0.
	if m.N <= 0 && (len(m.Bins) > 0 || m.Min != 0 || m.Max != 0) || m.Min > m.Max || m.Spread().Sign() < 0 {
		return errors.New("a sum is damaged")
	}
	return nil
}

// words writes a whole number in two's complement.
func words(to []uint64, n *big.Int) {
	if n.Sign() < 0 {
		n = new(big.Int).Add(n, new(big.Int).Lsh(big.NewInt(1), uint(64*len(to))))
	}
	low, mask := new(big.Int), new(big.Int).SetUint64(math.MaxUint64)
	for i := range to {
		to[i] = low.And(n, mask).Uint64()
		n = new(big.Int).Rsh(n, 64)
	}
}
