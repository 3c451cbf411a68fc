package rff

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// kernelNames are the kernels in the order of the documentation.
var kernelNames = []string{"gaussian", "laplacian", "cauchy", "matern", "arccos", "linear"}

// KernelNames returns the names that ParseKernel knows.
func KernelNames() []string { return slices.Clone(kernelNames) }

// ParseKernel reads a kernel from text, as a command line gives it and its String
// method writes it: a name, then parameters. Slashes separate per-dimension values.
// A parameter that is left out has its default.
//
//	gaussian:sigma=1.5   gaussian:gamma=0.2   laplacian:sigma=1/2/4   cauchy
//	matern:nu=2.5,length=3   arccos:order=1   linear
//
// The error is a *ParameterError.
func ParseKernel(spec string) (Kernel, error) {
	name, rest, _ := strings.Cut(spec, ":")
	allowed := map[string][]string{"gaussian": {"sigma", "gamma"}, "laplacian": {"sigma"}, "cauchy": {"sigma"},
		"matern": {"nu", "length"}, "arccos": {"order"}, "linear": {}}
	keys, ok := allowed[name]
	if !ok {
		return nil, &ParameterError{Name: "kernel", Value: name, Need: "must be one of " + strings.Join(kernelNames, ", "), Known: KernelNames()}
	}
	values := map[string][]float64{}
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
	one := func(key string, otherwise float64) (float64, error) {
		switch v := values[key]; len(v) {
		case 0:
			return otherwise, nil
		case 1:
			return v[0], nil
		}
		return 0, &ParameterError{Name: key, Value: values[key], Need: "takes one value"}
	}
	switch name {
	case "gaussian":
		if values["gamma"] != nil {
			if values["sigma"] != nil {
				return nil, &ParameterError{Name: "kernel gaussian", Value: spec, Need: "gives both sigma and gamma"}
			}
			return gaussianGamma(values["gamma"]...), nil
		}
		return NewGaussian(values["sigma"]...), nil
	case "laplacian":
		return NewLaplacian(values["sigma"]...), nil
	case "cauchy":
		return NewCauchy(values["sigma"]...), nil
	case "matern":
		nu, err := one("nu", 1.5)
		if err != nil {
			return nil, err
		}
		if nu != 0.5 && nu != 1.5 && nu != 2.5 {
			return nil, &ParameterError{Name: "nu", Value: nu, Need: "must be 0.5, 1.5 or 2.5"}
		}
		return NewMatern(nu, values["length"]...), nil
	case "arccos":
		order, err := one("order", 1)
		if err != nil {
			return nil, err
		}
		if order != 0 && order != 1 && order != 2 {
			return nil, &ParameterError{Name: "order", Value: order, Need: "must be 0, 1 or 2"}
		}
		return ArcCosine{int(order)}, nil
	case "linear":
		return Linear{}, nil
	}
	panic("rff: the name of a kernel that is not made here")
}

var _ = []fmt.Stringer{Gaussian{}, Laplacian{}, Cauchy{}, Matern{}, ArcCosine{}, Linear{}}
