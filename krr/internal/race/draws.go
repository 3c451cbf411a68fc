package race

import (
	"context"
	"math"
	"sync"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
)

// draws are the maps of a step that do not depend on rows. Random numbers and their
// orthogonalization take most of the time of few rows with thousands of inputs, and candidates whose
// bandwidths differ by a power of two share them: a product with that is exact.
type draws struct {
	mu   sync.Mutex
	used int // bytes
	of   map[drawOf]*draw
}

// drawOf tells draws apart. half is 1 for bandwidths that are odd powers of √2.
type drawOf struct{ scaling, kernel, half, features int }

// draw is the map of the candidate that came first.
type draw struct {
	sync.Once
	m        *rff.Map
	err      error
	exponent int
}

// at returns the draw of a candidate, or nil if there is no room for it.
func (d *draws) at(c candidate, in, features int) *draw {
	key := drawOf{c.scaling, c.kernel, c.exponent & 1, features}
	d.mu.Lock()
	defer d.mu.Unlock()
	if have := d.of[key]; have != nil {
		return have
	}
	bytes := 8 * in * features
	if d.used+bytes > drawBytes {
		return nil
	}
	if d.of == nil {
		d.of = map[drawOf]*draw{}
	}
	d.used += bytes
	d.of[key] = new(draw)
	return d.of[key]
}

// forget makes room for those of another step.
func (d *draws) forget() { d.used, d.of = 0, nil }

// drawnMap returns the features of a candidate that do not depend on rows.
func (r *Race) drawnMap(ctx context.Context, e blas.Engine, c candidate, features int) (*rff.Map, error) {
	draw := func() (*rff.Map, error) {
		m, _, err := r.sampled(ctx, e, c, features, 0, r.rows, nil)
		return m, err
	}
	d := r.draws.at(c, r.widths[c.scaling], features)
	if d == nil {
		return draw()
	}
	d.Do(func() {
		d.exponent = c.exponent
		d.m, d.err = draw()
	})
	switch {
	case d.exponent == c.exponent:
		return d.m, d.err
	case d.err != nil: // another bandwidth may be one that can be drawn
		return draw()
	}
	return d.m.Rescale(math.Ldexp(1, (c.exponent-d.exponent)/2))
}
