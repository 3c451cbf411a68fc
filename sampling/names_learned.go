package sampling

import "github.com/rffgo/rff"

// learnedSamplers is the part of ByName's table whose samplers learn features from data.
func learnedSamplers() []entry {
	return []entry{
		{"metric", "features of B·x, with B learned from the gradients of a ridge regression", "preset=thorough|fast,base=orf|…,diagonal=no|yes",
			func(o *options) rff.Sampler { return o.metric() }},
		{"refined", "frequencies trained by gradient descent, from those of metric on", "epochs=20,preset=thorough|fast,base=orf|…,diagonal=no|yes",
			func(o *options) rff.Sampler {
				return Refined{Metric: o.metric(), Epochs: o.integer("epochs", 0, 1, 1<<20)}
			}},
	}
}

func (o *options) metric() Metric {
	s := Metric{Fast: o.word("preset", "thorough", "fast") == "fast", Diagonal: o.yes("diagonal")}
	base := o.sampler("base", "orf", "rff", "rff-phase", "sorf", "fastfood", "halton", "sobol")
	if _, given := o.values["base"]; given {
		s.Base = base
	}
	return s
}
