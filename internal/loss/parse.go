package loss

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/reweight"
)

// losses has the losses by name. value is the text after a colon, their parameter.
var losses = map[string]func(value string) (Loss, error){
	"expectile":      parseExpectile,
	"huber":          parseHuber,
	"logistic":       plain(logistic{}),
	"poisson":        plain(poisson{}),
	"quantile":       parseQuantile,
	"smoothed-hinge": plain(smoothedHinge{}),
	"squared-hinge":  plain(squaredHinge{}),
}

// Names returns the names of all losses, sorted.
func Names() []string {
	return slices.Sorted(slices.Values(append(slices.Collect(maps.Keys(losses)), "hard", "squares")))
}

// Parse returns the loss of a text such as "huber:1.5" for data of that many targets. For
// squares the loss is nil, and there may be a rule by which they are solved again. The error is
// a *rff.ParameterError.
func Parse(text string, targets int) (Loss, reweight.Rule, error) {
	name, value, _ := strings.Cut(text, ":")
	var l Loss
	var rule reweight.Rule
	var err error
	switch parse := losses[name]; {
	case text == "" || text == "squares":
	case name == "hard":
		rule, err = reweight.ParseHard(value)
	case parse == nil:
		return nil, nil, inside.Unknown("loss", name, Names()...)
	default:
		l, err = parse(value)
	}
	if err != nil {
		return nil, nil, &rff.ParameterError{Name: "loss", Value: text, Need: err.Error()}
	}
	if l == (logistic{}) && targets > 1 {
		l = softmax{}
	}
	return l, rule, nil
}

// plain parses a loss without a parameter.
func plain(l Loss) func(string) (Loss, error) {
	return func(value string) (Loss, error) {
		if value != "" {
			return nil, fmt.Errorf("must have no parameter: leave %q out", ":"+value)
		}
		return l, nil
	}
}
