package sampling

import (
	"context"
	_ "embed"
	"fmt"
	"math/bits"
	"math/rand/v2"

	"github.com/rffgo/rff"
)

//go:generate go -C ../bench run ./gen/joekuo -o ../sampling/joekuo.bin ../sampling/new-joe-kuo-6.21201

// joeKuo holds the initial direction numbers of S. Joe and F. Y. Kuo,
// "Constructing Sobol sequences with better two-dimensional projections", SIAM
// J. Sci. Comput. 30 (2008), file new-joe-kuo-6.21201, as bench/gen/joekuo packs
// it; LICENSE-joekuo is its licence.
//
//go:embed joekuo.bin
var joeKuo []byte

// maxSobol is the largest number of coordinates of a Sobol sequence.
const maxSobol = 21201

// sobolBits is the number of index bits: the sequence has 2³² points.
const sobolBits = 32

// Sobol draws frequencies from a scrambled Sobol sequence (Joe and Kuo 2008, Matoušek 1998) through the
// quantile functions of the kernel's spectral measure: J. Yang, V. Sindhwani,
// H. Avron and M. W. Mahoney, "Quasi-Monte Carlo feature maps for
// shift-invariant kernels", ICML 2014. Each single frequency has the same distribution as
// in MonteCarlo. The sequence has at most 21201 coordinates.
//
// Sobol takes every stationary kernel. The phases of CosBias take one more coordinate.
type Sobol struct {
	Form rff.Form // CosSin by default
}

// Sample implements rff.Sampler; data is not used.
func (s Sobol) Sample(ctx context.Context, r rff.Request) (*rff.Map, error) {
	d, err := begin(ctx, "Sobol", s.Form, r)
	if err != nil {
		return nil, err
	}
	p, err := newScrambledSobol(d.coordinates(), d.Rand)
	if err != nil {
		return nil, err
	}
	return d.fromPoints(ctx, p)
}

// newScrambledSobol returns the Sobol sequence in dim coordinates with Joe and Kuo's
// direction numbers, in Gray code order, under a random linear scramble (a lower
// triangular binary matrix per coordinate) and a random digital shift. Each point is
// uniform to 2⁻⁵³, and the sequence keeps its net properties. J. Matoušek, "On the
// L₂-discrepancy for anchored boxes", J. Complexity 14 (1998). The sequence has 2³² points.
// A dim above maxSobol is a *rff.ParameterError.
func newScrambledSobol(dim int, src rand.Source) (points, error) {
	if err := seeded(src); err != nil {
		return nil, err
	}
	s, err := newSobol(dim)
	if err != nil {
		return nil, err
	}
	s.shift = make([]uint64, dim)
	var rows [precision]uint64
	for j := range s.shift {
		// Row r of the matrix gives bit r of the result from bits 0…r of the
		// coordinate, counted from the most significant; its diagonal is 1.
		for r := range rows {
			rows[r] = (src.Uint64()>>(64-r)<<1 | 1) << (precision - 1 - r)
		}
		for k, v := range s.direction(j) {
			var t uint64
			for r, row := range rows {
				t |= uint64(bits.OnesCount64(row&v)&1) << (precision - 1 - r)
			}
			s.direction(j)[k] = t
		}
		s.shift[j] = src.Uint64() >> (64 - precision)
	}
	return s, nil
}

// precision is the number of bits of a coordinate.
const precision = 53

// sobol holds directions and the current point as integers in units of 2⁻⁵³.
type sobol struct {
	directions []uint64 // [coordinate][bit of the index]
	shift      []uint64 // nil for the plain sequence
	state      []uint64
	next       uint64
}

func (s *sobol) direction(j int) []uint64 { return s.directions[j*sobolBits : (j+1)*sobolBits] }

func (s *sobol) Next(u []float64) {
	for j, x := range s.state {
		if s.shift != nil {
			// The middle of the interval of 2⁻⁵³.
			u[j] = (float64(x^s.shift[j]) + 0.5) * 0x1p-53
		} else {
			u[j] = float64(x) * 0x1p-53
		}
	}
	s.next++
	// Gray code: consecutive points differ by one direction.
	if bit := bits.TrailingZeros64(s.next); bit < sobolBits {
		for j := range s.state {
			s.state[j] ^= s.directions[j*sobolBits+bit]
		}
	}
}

// newSobol returns the sequence without scrambling, whose first point is the origin. For a
// primitive polynomial of degree n with coefficients a and initial odd numbers m₁…mₙ, its
// direction numbers v_k are
//
//	m_k = 2a₁m_{k−1} ⊕ 2²a₂m_{k−2} ⊕ … ⊕ 2ⁿm_{k−n} ⊕ m_{k−n},  v_k = m_k/2ᵏ
func newSobol(dim int) (*sobol, error) {
	if dim > maxSobol {
		return nil, &rff.ParameterError{Name: "dim", Value: dim, Need: fmt.Sprintf("must be at most %d for the Sobol sequence: that is where the published direction numbers end; use rff, orf or halton", maxSobol)}
	}
	s := &sobol{directions: make([]uint64, dim*sobolBits), state: make([]uint64, dim)}
	table := &joeKuoTable{data: joeKuo}
	for j := range dim {
		var m [sobolBits + 1]uint64
		degree, coefficients := 0, uint64(0)
		if j == 0 {
			for k := range m {
				m[k] = 1 // van der Corput
			}
		} else {
			degree, coefficients = table.next(m[1:])
			for k := degree + 1; k <= sobolBits; k++ {
				m[k] = m[k-degree] ^ m[k-degree]<<degree
				for i := 1; i < degree; i++ {
					if coefficients>>(degree-1-i)&1 != 0 {
						m[k] ^= m[k-i] << i
					}
				}
			}
		}
		for k := range s.direction(j) {
			s.direction(j)[k] = m[k+1] << (precision - 1 - k)
		}
	}
	return s, nil
}

// joeKuoTable reads joekuo.bin. For each degree from 1 on, the file has a little-endian
// uint16 count of polynomials. Then it has, per polynomial, the inner coefficients a
// (degree−1 bits) and (mᵢ−1)/2 in i−1 bits for i = 1…degree. The least significant bit of a
// byte comes first.
type joeKuoTable struct {
	data   []byte
	bit    int
	degree int
	left   int
}

func (t *joeKuoTable) take(n int) (v uint64) {
	for i := range n {
		v |= uint64(t.data[t.bit>>3]>>(t.bit&7)&1) << i
		t.bit++
	}
	return v
}

// next writes the initial numbers of the next coordinate to m.
func (t *joeKuoTable) next(m []uint64) (degree int, coefficients uint64) {
	for t.left == 0 {
		t.degree++
		t.left = int(t.take(16))
	}
	t.left--
	coefficients = t.take(t.degree - 1)
	for i := range t.degree {
		m[i] = t.take(i)<<1 | 1
	}
	return t.degree, coefficients
}
