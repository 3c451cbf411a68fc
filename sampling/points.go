package sampling

import (
	"context"

	"github.com/rffgo/rff"
)

// points is a sequence of points in a unit cube, for one goroutine.
type points interface {
	// Next writes the next point to u, which has an element for each coordinate.
	Next(u []float64)
}

// clipLow and clipHigh keep coordinates 2⁻⁵³ away from 0 and 1, where quantile
// functions are infinite.
const clipLow, clipHigh = 0x1p-53, 1 - 0x1p-53

// coordinates returns how many uniform numbers a frequency and its phase take.
func (d *draft) coordinates() int {
	n := d.spectrum.Uniforms()
	if d.form == rff.CosBias {
		n++
	}
	return n
}

// fromPoints returns the map of the first points of p, one per frequency.
func (d *draft) fromPoints(ctx context.Context, p points) (*rff.Map, error) {
	spec, err := d.dense()
	if err != nil {
		return nil, err
	}
	if d.form == rff.CosBias {
		spec.Phase = make([]float64, d.f)
	}
	u, n := make([]float64, d.coordinates()), d.spectrum.Uniforms()
	often := max(1, 1<<16/len(u)) // a coordinate takes tens of nanoseconds
	for i := range d.f {
		if i%often == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		p.Next(u)
		for j, v := range u {
			u[j] = min(max(v, clipLow), clipHigh)
		}
		d.spectrum.Quantile(spec.W.Row(i), u[:n])
		if spec.Phase != nil {
			spec.Phase[i] = phase(u[n])
		}
	}
	return d.made(spec, d.kernel)
}
