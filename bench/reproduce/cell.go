package reproduce

import (
	"fmt"
	"hash/fnv"
)

// Key is the identity of a cell.
type Key struct {
	Experiment string `json:"experiment"`
	Protocol   string `json:"protocol"`
	Version    int    `json:"version"` // of the protocol: another one has other numbers
	Data       string `json:"data"`
	Sampler    string `json:"sampler"`
	Size       int    `json:"size"` // how many features, in the unit of the protocol
	// Loss of the fit, as krr.Settings has it. "": squares.
	Loss string `json:"loss,omitempty"`
	Rep  int    `json:"rep"`
	Seed uint64 `json:"seed"`
}

func (k Key) String() string {
	of := k.Sampler
	if k.Loss != "" {
		of += ", " + k.Loss
	}
	return fmt.Sprintf("%s %s, size %d, repetition %d", k.Data, of, k.Size, k.Rep+1)
}

// Group returns the key of all cells of a set and a repetition, which share rows and
// bandwidth.
func (k Key) Group() Key {
	k.Sampler, k.Size, k.Loss = "", 0, ""
	return k
}

// Stream returns the seed of what is drawn for purpose in a cell. The parts of the
// key that count are those of the arguments' names: rows are divided alike for all
// samplers, say. It depends on neither the order of the cells nor the machine.
func Stream(seed uint64, purpose string, parts ...any) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d\x00%s", seed, purpose)
	for _, p := range parts {
		fmt.Fprintf(h, "\x00%v", p)
	}
	return h.Sum64()
}

// Cell is a finished cell.
type Cell struct {
	Key
	// Values are what the experiment measures, by name: data and seed decide them.
	Values map[string]float64 `json:"values"`
	// Seconds are times, by name: the machine decides them.
	Seconds map[string]float64 `json:"seconds,omitempty"`
	Machine string             `json:"machine,omitempty"`
}
