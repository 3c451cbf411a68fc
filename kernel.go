package rff

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rffgo/rff/internal/limit"
)

// scaleAt returns the scale of dimension j: the only one of a list of one, and 1 if
// the list is empty.
func scaleAt(s []float64, j int) float64 {
	switch len(s) {
	case 0:
		return 1
	case 1:
		return s[0]
	}
	return s[j]
}

// checkScales returns the dim per-dimension scales, or an error that says what is wrong with s.
func checkScales(name string, s []float64, dim int) ([]float64, error) {
	if dim < 1 || dim > limit.Dim {
		return nil, &ParameterError{Name: "dim", Value: dim, Need: "must be from 1 to " + strconv.Itoa(limit.Dim)}
	}
	if len(s) > 1 && len(s) != dim {
		return nil, &ParameterError{Name: name, Value: s, Need: "needs one value, or one for each of the " + strconv.Itoa(dim) + " dimensions"}
	}
	full := make([]float64, dim)
	for j := range full {
		v := scaleAt(s, j)
		if !(v >= limit.LeastBandwidth && v <= limit.MostBandwidth) {
			return nil, &ParameterError{Name: name, Value: v, Need: fmt.Sprintf("must be from %g to %g", limit.LeastBandwidth, limit.MostBandwidth)}
		}
		full[j] = v
	}
	return full, nil
}

func checkPair(x, y, scales []float64) {
	if len(x) != len(y) {
		panic(errPairLength)
	}
	if len(scales) > 1 && len(scales) != len(x) {
		panic(errScalesLength)
	}
}

// describe writes a kernel as ParseKernel reads it: "gaussian:sigma=1.5". more are further parameters.
func describe(name, parameter string, scales []float64, more ...string) string {
	var values []string
	for _, s := range scales {
		values = append(values, number(s))
	}
	if values != nil {
		more = append([]string{parameter + "=" + strings.Join(values, "/")}, more...)
	}
	if more == nil {
		return name
	}
	return name + ":" + strings.Join(more, ",")
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
