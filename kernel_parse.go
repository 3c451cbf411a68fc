package rff

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// families are the kernels in the order of the documentation. A kernel is a file of its
// own and a row here; its String method writes what ParseKernel reads.
var families = []struct {
	name       string
	parameters []string
	parse      func(p parameters) (Kernel, error)
}{
	{"gaussian", []string{"sigma", "gamma"}, parseGaussian},
	{"laplacian", []string{"sigma"}, func(p parameters) (Kernel, error) { return NewLaplacian(p["sigma"]...), nil }},
	{"exponential-power", []string{"sigma", "p", "q"}, parsePower},
	{"cauchy", []string{"sigma"}, func(p parameters) (Kernel, error) { return NewCauchy(p["sigma"]...), nil }},
	{"matern", []string{"nu", "length"}, parseMatern},
	{"arccos", []string{"order"}, parseArcCosine},
	{"linear", nil, func(parameters) (Kernel, error) { return linear{}, nil }},
}

// parameters are the values of a kernel's parameters that its text gives.
type parameters map[string][]float64

// one returns the only value of a parameter, or otherwise if it has none.
func (p parameters) one(key string, otherwise float64) (float64, error) {
	switch v := p[key]; len(v) {
	case 0:
		return otherwise, nil
	case 1:
		return v[0], nil
	default:
		return 0, &ParameterError{Name: key, Value: v, Need: "takes one value"}
	}
}

// among is one for a parameter that must be a, b or c.
func (p parameters) among(key string, otherwise float64, a, b, c float64) (float64, error) {
	v, err := p.one(key, otherwise)
	if err == nil && v != a && v != b && v != c {
		err = &ParameterError{Name: key, Value: v, Need: fmt.Sprintf("must be %g, %g or %g", a, b, c)}
	}
	return v, err
}

func parsePower(values parameters) (Kernel, error) {
	p, err := values.one("p", 1)
	if err != nil {
		return nil, err
	}
	q, err := values.one("q", p)
	if err != nil {
		return nil, err
	}
	k := power{p, q, values["sigma"]}
	return k, k.check()
}

// kernelNames is internal/inside.KernelNames.
func kernelNames() []string {
	var names []string
	for _, f := range families {
		names = append(names, f.name)
	}
	return names
}

// ParseKernel reads a kernel from text, as a command line gives it and its String
// method writes it: a name, then parameters. Slashes separate per-dimension values.
// A parameter that is left out has its default.
//
//	gaussian:sigma=1.5   gaussian:gamma=0.2   laplacian:sigma=1/2/4   cauchy
//	matern:nu=2.5,length=3   exponential-power:p=1.5,sigma=2   arccos:order=1   linear
//
// The error is a *ParameterError; its Known has the names.
func ParseKernel(spec string) (Kernel, error) {
	name, rest, _ := strings.Cut(spec, ":")
	for _, f := range families {
		if f.name != name {
			continue
		}
		p, err := parseParameters(spec, name, rest, f.parameters)
		if err != nil {
			return nil, err
		}
		k, err := f.parse(p)
		if err != nil {
			return nil, err
		}
		return k, nil
	}
	return nil, unknown("kernel", name, kernelNames()...)
}

// parseParameters reads the part of spec after the name.
func parseParameters(spec, name, rest string, keys []string) (parameters, error) {
	values := parameters{}
	for _, pair := range strings.Split(rest, ",") {
		if rest == "" {
			break
		}
		key, text, _ := strings.Cut(pair, "=")
		if !slices.Contains(keys, key) {
			return nil, &ParameterError{Name: "kernel " + name, Value: pair, Need: "has the parameters " + strings.Join(keys, ", ") + ", as key=value"}
		}
		if values[key] != nil {
			return nil, &ParameterError{Name: "kernel " + name, Value: spec, Need: "gives " + key + " twice"}
		}
		for _, t := range strings.Split(text, "/") {
			v, err := strconv.ParseFloat(t, 64)
			if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || (key != "order" && v <= 0) {
				return nil, &ParameterError{Name: key, Value: t, Need: "must be a positive number, or several separated by slashes"}
			}
			values[key] = append(values[key], v)
		}
	}
	if values["sigma"] != nil && values["gamma"] != nil {
		return nil, &ParameterError{Name: "kernel " + name, Value: spec, Need: "gives both sigma and gamma"}
	}
	return values, nil
}
