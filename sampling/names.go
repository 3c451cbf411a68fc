package sampling

import (
	"slices"
	"strings"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside/hook"
)

// ByName returns the sampler of a specification "name" or
// "name:key=value,key=value". The error is a *rff.ParameterError that lists the known
// names, keys or values.
func ByName(spec string) (rff.Sampler, error) {
	name, rest, hasOptions := strings.Cut(spec, ":")
	for _, s := range samplers() {
		if s.name != name {
			continue
		}
		o, err := parseOptions(name, rest, hasOptions)
		if err != nil {
			return nil, err
		}
		sampler := s.build(o)
		if err := o.finish(); err != nil {
			return nil, err
		}
		return sampler, nil
	}
	return nil, unknown("sampler", name, names()...)
}

// names is internal/inside.Samplers.
func names() []string {
	var names []string
	for _, s := range samplers() {
		names = append(names, s.name)
	}
	return names
}

// summaryOf is inside.Summary.
func summaryOf(name string) (summary, options string) {
	for _, s := range samplers() {
		if s.name == name {
			return s.summary, s.options
		}
	}
	return "", ""
}

func init() { hook.Samplers, hook.Summary = names, summaryOf }

func samplers() []entry {
	return slices.Concat(independentSamplers(), dependentSamplers(), learnedSamplers())
}
