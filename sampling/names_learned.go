package sampling

import "github.com/rffgo/rff"

// learnedSamplers is the part of ByName's table that learns features from data.
func learnedSamplers() []entry {
	return []entry{
		{"metric", "features of B·x, with B learned from the gradients of a ridge regression", "preset=thorough|fast,base=rff|…,diagonal=no|yes",
			func(o *options) rff.Sampler { return o.metric() }},
		{"refined", "frequencies trained by gradient descent, from those of metric on", "epochs=20,preset=thorough|fast,base=rff|…,diagonal=no|yes",
			func(o *options) rff.Sampler {
				return Refined{Metric: o.metric(), Epochs: o.integer("epochs", 0, 1, 1<<20)}
			}},
	}
}

func (o *options) metric() Metric {
	return Metric{Fast: o.word("preset", "thorough", "fast") == "fast", Diagonal: o.yes("diagonal"),
		Base: o.sampler("base", "rff", "rff-phase", "orf", "sorf", "fastfood", "halton", "sobol")}
}
