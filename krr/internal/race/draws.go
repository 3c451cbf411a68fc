package race

import (
	"sync"

	"github.com/rffgo/rff"
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

// at returns the draw of candidates of that many inputs, or nil if there is no room for it.
func (d *draws) at(key drawOf, in int) *draw {
	d.mu.Lock()
	defer d.mu.Unlock()
	if have := d.of[key]; have != nil {
		return have
	}
	bytes := 8 * in * key.features
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
