package fold

import (
	"encoding/json"
	"errors"
	"maps"
	"math"
	"math/bits"
	"slices"
)

// Content returns a hash of the inputs of a row. Rows with equal inputs have the same hash, wherever
// they are and whichever machine reads them. As the index of Of it keeps them in one fold, so that
// no row is predicted from its own copy.
//
// Number j goes through lane j mod 4 by a round of XXH64 (Collet, "xxHash fast digest
// algorithm", step 2); splitmix64 mixes the lanes.
func Content(x []float64) int64 {
	h := [4]uint64{1, 2, 3, 4}
	for len(x) >= 4 {
		h[0], h[1], h[2], h[3] = round(h[0], x[0]), round(h[1], x[1]), round(h[2], x[2]), round(h[3], x[3])
		x = x[4:]
	}
	for i, v := range x {
		h[i] = round(h[i], v)
	}
	all := uint64(0)
	for _, lane := range h {
		all = Hash(all^lane, 0)
	}
	return int64(all)
}

// round takes v into a lane. 0 and −0 have the same result.
func round(lane uint64, v float64) uint64 {
	return bits.RotateLeft64(lane+math.Float64bits(v+0)*0xc2b2ae3d27d4eb4f, 31) * 0x9e3779b185ebca87
}

// MostContents is the number of contents up to which Repeats counts exactly, in 3 MB.
const MostContents = 1 << 16

// Repeats counts the rows whose inputs an earlier row has. It is exact up to 65,536 different inputs.
// Beyond, it keeps only inputs whose hash is below a limit, which halves whenever there are more
// than 65,536 of them (Flajolet, "On adaptive sampling", Computing 43, 1990). The zero value has
// seen no row.
type Repeats struct {
	rows  map[uint64]int64 // by content
	shift int              // contents below 2⁶⁴⁻ˢʰⁱᶠᵗ are counted
}

// Add counts a row of that content.
func (r *Repeats) Add(content int64) {
	c := uint64(content)
	if c>>(64-r.shift) != 0 {
		return
	}
	if r.rows == nil {
		r.rows = map[uint64]int64{}
	}
	r.rows[c]++
	r.thin(r.shift)
}

// thin raises the shift at least to that one, and further for as long as there are too many contents.
func (r *Repeats) thin(shift int) {
	for r.shift < shift || len(r.rows) > MostContents {
		r.shift++
		for c := range r.rows {
			if c>>(64-r.shift) != 0 {
				delete(r.rows, c)
			}
		}
	}
}

// Merge adds the rows that o has counted.
func (r *Repeats) Merge(o *Repeats) {
	if r.rows == nil {
		r.rows = map[uint64]int64{}
	}
	r.thin(o.shift)
	for c, n := range o.rows {
		if c>>(64-r.shift) == 0 {
			r.rows[c] += n
		}
	}
	r.thin(r.shift)
}

// repeatsFile is the form of Repeats in a file.
type repeatsFile struct {
	Shift    int      `json:"shift"`
	Contents []uint64 `json:"contents"` // rising
	Rows     []int64  `json:"rows"`     // with each
}

// MarshalJSON writes r.
func (r *Repeats) MarshalJSON() ([]byte, error) {
	f := repeatsFile{Shift: r.shift, Contents: slices.Sorted(maps.Keys(r.rows))}
	for _, c := range f.Contents {
		f.Rows = append(f.Rows, r.rows[c])
	}
	return json.Marshal(f)
}

// UnmarshalJSON reads r.
func (r *Repeats) UnmarshalJSON(data []byte) error {
	var f repeatsFile
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	if f.Shift < 0 || f.Shift > 64 || len(f.Contents) != len(f.Rows) || len(f.Rows) > MostContents {
		return errors.New("the counts of cells that repeat are damaged")
	}
	*r = Repeats{rows: map[uint64]int64{}, shift: f.Shift}
	for i, c := range f.Contents {
		r.rows[c] = f.Rows[i]
	}
	return nil
}

// Count returns the number of rows that repeat an earlier one.
func (r *Repeats) Count() (rows int64) {
	for _, n := range r.rows {
		rows += n - 1
	}
	return rows << r.shift
}
