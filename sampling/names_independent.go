package sampling

import (
	"slices"

	"github.com/rffgo/rff"
)

// independentSamplers is the part of ByName's table whose samplers look at no data.
func independentSamplers() []entry {
	const form = "form=pair|phase"
	return []entry{
		{"rff", "independent draws from the spectral measure (Rahimi and Recht)", form,
			func(o *options) rff.Sampler { return MonteCarlo{Form: o.form()} }},
		{"rff-phase", "the same, one cosine with a random phase per frequency", "",
			func(o *options) rff.Sampler { return MonteCarlo{Form: rff.CosBias} }},
		{"orf", "orthogonal directions in blocks (Yu et al.)", form,
			func(o *options) rff.Sampler { return ORF{Form: o.form()} }},
		{"sorf", "orthogonal directions from fast Hadamard transforms (Yu et al.)", form + ",published=no|yes",
			func(o *options) rff.Sampler { return SORF{Form: o.form(), Published: o.yes("published")} }},
		{"fastfood", "Gaussian directions from fast Hadamard transforms (Le et al.)", form,
			func(o *options) rff.Sampler { return Fastfood{Form: o.form()} }},
		{"halton", "scrambled Halton points, for low dimensions (Avron et al.)", form + ",published=no|yes",
			func(o *options) rff.Sampler { return Halton{Form: o.form(), Published: o.yes("published")} }},
		{"sobol", "scrambled Sobol points (Yang et al.)", form,
			func(o *options) rff.Sampler { return Sobol{Form: o.form()} }},
		{"compact", "many features, projected at random (Hamid et al.)", "pool=4,base=rff|…,projection=hadamard|sign|gaussian",
			func(o *options) rff.Sampler {
				return Compact{Multiple: o.integer("pool", 0, 1, maxMultiple),
					Projection: o.word("projection", hadamardProjection, signProjection, gaussianProjection), Base: o.plainBase()}
			}},
		{"arccos", "features of the arc-cosine kernel (Cho and Saul)", "order=1",
			func(o *options) rff.Sampler { return ofKernel{rff.NewArcCosine(o.integer("order", 1, 0, 2))} }},
		{"linear", "coordinates drawn at random (Shahrampour et al.)", "",
			func(o *options) rff.Sampler { return ofKernel{rff.NewLinear()} }},
	}
}

// sampler reads the name of a base sampler, which looks at no data and has no options here.
func (o *options) sampler(key string, choices ...string) rff.Sampler {
	name := o.word(key, choices...)
	all := independentSamplers()
	return all[slices.IndexFunc(all, func(e entry) bool { return e.name == name })].build(&options{name: name})
}

// plainBase reads a base sampler that is no projection itself.
func (o *options) plainBase() rff.Sampler {
	return o.sampler("base", "rff", "rff-phase", "orf", "sorf", "fastfood", "halton", "sobol", "arccos", "linear")
}
