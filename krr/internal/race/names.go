package race

import (
	"strings"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/boost"
	"github.com/rffgo/rff/sampling"
)

// stepKinds are the kinds of steps in the order in which a report names what was skipped.
var stepKinds = []string{"scalings", "exact", "landmarks", "scales", "trees", "metric", "refined", "joined", "features", "rule", "mean", "trainings"}

func kindOf(s rff.Sampler) kind {
	if _, ok := s.(sampling.Nystrom); ok {
		return sectioned
	}
	return drawn
}

// samplerText names a sampler that a race may choose.
func samplerText(s rff.Sampler) string {
	text, metric := "", sampling.Metric{}
	switch s := s.(type) {
	case sampling.Nystrom:
		text, metric.Diagonal = "landmarks", s.Metric
		if s.Pick == "uniform" {
			text = "uniform landmarks"
		}
	case sampling.Metric:
		text, metric = "metric", s
	case sampling.Refined:
		text, metric = "refined", s.Metric
	}
	if metric.Diagonal {
		text += ", a scale per input"
	}
	return text
}

// samplerName names the sampler of a candidate, as sampling.ByName knows it; "" if it is
// that of the settings.
func (r *Race) samplerName(c candidate) string {
	if r.Sampler != nil {
		return ""
	}
	switch s := c.sampler.(type) {
	case boost.Sampler:
		return "trees"
	case sampling.Metric:
		return "metric"
	case sampling.Refined:
		return "refined"
	case sampling.Nystrom:
		var options []string
		if s.Pick != "uniform" {
			options = append(options, "pick="+s.Pick)
		}
		if s.Metric {
			options = append(options, "metric=diagonal")
		}
		return strings.TrimSuffix("nystrom:"+strings.Join(options, ","), ":")
	}
	if sampling.Default(r.Kernels[c.kernel], r.in) == (sampling.ORF{}) {
		return "orf"
	}
	return "rff"
}
