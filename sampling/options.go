package sampling

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
)

// entry is one line of the table behind ByName.
type entry struct {
	name    string
	summary string // one line, for help texts
	options string // one line: key=default …
	build   func(o *options) rff.Sampler
}

// maxMultiple bounds the option pool, in candidates per feature.
const maxMultiple = 1 << 20

// options are the key=value pairs of one specification. The functions that read them
// note their keys, so that finish can report keys that were not read.
type options struct {
	name   string
	values map[string]string
	keys   []string // as given
	known  []string
	err    error
}

func parseOptions(sampler, text string, given bool) (*options, error) {
	o := &options{name: sampler, values: map[string]string{}}
	if !given {
		return o, nil
	}
	for _, pair := range strings.Split(text, ",") {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" || value == "" {
			return nil, &rff.ParameterError{Name: "option of " + sampler, Value: strconv.Quote(pair), Need: "must be key=value, several separated by commas"}
		}
		if _, twice := o.values[key]; twice {
			return nil, &rff.ParameterError{Name: "option of " + sampler, Value: pair, Need: "must be given once"}
		}
		o.values[key] = value
		o.keys = append(o.keys, key)
	}
	return o, nil
}

func (o *options) get(key string) (string, bool) {
	o.known = append(o.known, key)
	v, ok := o.values[key]
	return v, ok
}

// fail keeps err, which may be nil, unless there is an error already.
func (o *options) fail(err error) {
	if o.err == nil {
		o.err = err
	}
}

// parameter is the name of an option in errors.
func (o *options) parameter(key string) string { return key + " of " + o.name }

// word reads one of the choices; the first is the default.
func (o *options) word(key string, choices ...string) string {
	v, ok := o.get(key)
	if !ok {
		return choices[0]
	}
	if slices.Contains(choices, v) {
		return v
	}
	o.fail(inside.Unknown(o.parameter(key), v, choices...))
	return choices[0]
}

// integer reads a whole number in [low, high].
func (o *options) integer(key string, otherwise, low, high int) int {
	v, ok := o.get(key)
	if !ok {
		return otherwise
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < low || n > high {
		o.fail(&rff.ParameterError{Name: o.parameter(key), Value: v, Need: fmt.Sprintf("must be a whole number from %d to %d", low, high)})
		return otherwise
	}
	return n
}

// number reads a real number in (0, high]; without the option it is 0.
func (o *options) number(key string, high float64) float64 {
	v, ok := o.get(key)
	if !ok {
		return 0
	}
	x, err := strconv.ParseFloat(v, 64)
	if err != nil || math.IsNaN(x) || !(x > 0 && x <= high) {
		o.fail(&rff.ParameterError{Name: o.parameter(key), Value: v, Need: fmt.Sprintf("must be a number above 0, up to %g", high)})
		return 0
	}
	return x
}

// yes reads key=no or key=yes.
func (o *options) yes(key string) bool { return o.word(key, "no", "yes") == "yes" }

// form reads form=pair or form=phase.
func (o *options) form() rff.Form {
	if o.word("form", "pair", "phase") == "phase" {
		return rff.CosBias
	}
	return "" // the default
}

// finish reports the first bad value, or an option that the sampler does not have.
func (o *options) finish() error {
	for _, k := range o.keys {
		switch {
		case slices.Contains(o.known, k):
		case len(o.known) == 0:
			return &rff.ParameterError{Name: "option of " + o.name, Value: k, Need: "must be left out: this sampler has no options"}
		default:
			return inside.Unknown("option of "+o.name, k, o.known...)
		}
	}
	return o.err
}
