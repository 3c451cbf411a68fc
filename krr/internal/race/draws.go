package race

import (
	"sync"

	"github.com/rffgo/rff"
)

// draws are the maps of a step that do not depend on rows, of bandwidth 1. Random numbers and their
// orthogonalization take most of the time of few rows with thousands of inputs, and candidates of all
// scalings and bandwidths share them.
type draws struct {
	mu   sync.Mutex
	used int // bytes
	of   map[drawOf]*draw
}

// drawOf tells draws apart.
type drawOf struct{ kernel, features int }

type draw struct {
	sync.Once
	m   *rff.Map
	err error
}

// at returns the draw of a key, which is kept for the next one that asks if there is room for so many bytes.
func (d *draws) at(key drawOf, bytes int) *draw {
	d.mu.Lock()
	defer d.mu.Unlock()
	if have := d.of[key]; have != nil {
		return have
	}
	one := new(draw)
	if d.used+bytes > drawBytes {
		return one
	}
	if d.of == nil {
		d.of = map[drawOf]*draw{}
	}
	d.used += bytes
	d.of[key] = one
	return one
}

// forget makes room for those of another step.
func (d *draws) forget() { d.used, d.of = 0, nil }
