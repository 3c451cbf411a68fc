package sampling

import (
	"slices"
	"strings"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
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
	if name == "trees" { // as models of Auto name it
		return nil, &rff.ParameterError{Name: "sampler", Value: name, Need: "must be another: krr.Auto alone grows trees"}
	}
	return nil, inside.Unknown("sampler", name, names()...)
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
	return append(independentSamplers(), dependentSamplers()...)
}

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

// dependentSamplers is the part of ByName's table whose samplers choose, project or learn
// features by looking at data.
func dependentSamplers() []entry {
	const pool = "pool=4,base=rff|…,pick=without|multinomial|top,weight=unit|importance"
	return []entry{
		{"leverage", "ridge leverage scores of a pool (Li et al.)", pool + ",lambda=1e-3,sums=float64|float32,published=no|yes",
			func(o *options) rff.Sampler {
				if o.yes("published") {
					return Leverage{Published: true, Lambda: o.number("lambda", 1e300)}
				}
				s := Leverage{Pool: o.pool(), Lambda: o.number("lambda", 1e300)}
				if sums := o.word("sums", "float64", "float32"); sums != "float64" {
					s.Precision = sums
				}
				return s
			}},
		{"surrogate", "surrogate leverage scores: alignment with the targets (Liu et al.)", pool + ",density=aligned|ridged,labels=centred|raw,published=no|yes",
			func(o *options) rff.Sampler {
				if o.yes("published") {
					return Surrogate{Published: true}
				}
				return Surrogate{Pool: o.pool(), Raw: o.raw(), Ridged: o.word("density", "aligned", "ridged") == "ridged"}
			}},
		{"eerf", "largest empirical energy on a sample of the rows (Shahrampour et al.)", pool + ",fraction=0.1,labels=centred|raw (pick=top by default)",
			func(o *options) rff.Sampler {
				return EERF{Pool: o.pool(), Fraction: o.number("fraction", 1), Raw: o.raw()}
			}},
		{"lkrf", "weights optimised in a χ² ball, then drawn or kept (Sinha and Duchi)", pool + ",rho=0.005·pool,keep=no|yes,fraction=1,labels=centred|raw",
			func(o *options) rff.Sampler {
				s := LKRF{Pool: o.pool(), Rho: o.number("rho", 1e300), Keep: o.yes("keep"),
					Fraction: o.number("fraction", 1), Raw: o.raw()}
				if s.Keep {
					o.fail(s.weighs("lkrf with keep=yes"))
				}
				return s
			}},
		{"ses", "weights fitted to the kernel on pairs of rows, with shrinkage (Chang et al.)", "pool=1,base=rff|…,pairs=0,lambda=1e-3",
			func(o *options) rff.Sampler {
				return SES{Pool: Pool{Multiple: o.integer("pool", 0, 1, maxMultiple), Base: o.plainBase()},
					Pairs: o.integer("pairs", 0, 1, 1<<30), Lambda: o.number("lambda", 1e300)}
			}},
		{"tefm-g", "projection to the dominant subspace, Gaussian sketch (Chen et al.)", "pool=4,base=rff|…,power=0",
			func(o *options) rff.Sampler { return o.tefm(false) }},
		{"tefm-s", "projection to the dominant subspace, Hadamard sketch (Chen et al.)", "pool=4,base=rff|…,power=0",
			func(o *options) rff.Sampler { return o.tefm(true) }},
		{"nystrom", "kernel sections on landmark rows (Williams and Seeger)", "pick=uniform|rpcholesky|leverage|kmeans++,pool=10,lambda=1e-3,metric=no|diagonal",
			func(o *options) rff.Sampler {
				return Nystrom{Pick: o.word("pick", landmarkPicks...), Multiple: o.integer("pool", 0, 1, maxMultiple), Lambda: o.number("lambda", 1e300), Metric: o.word("metric", "no", "diagonal") == "diagonal"}
			}},
		{"metric", "features of B·x, with B learned from the gradients of a ridge regression", "preset=thorough|fast,base=orf|…,diagonal=no|yes",
			func(o *options) rff.Sampler { return o.metric() }},
		{"refined", "frequencies trained by gradient descent, from those of metric on", "epochs=20,preset=thorough|fast,base=orf|…,diagonal=no|yes",
			func(o *options) rff.Sampler {
				return Refined{Metric: o.metric(), Epochs: o.integer("epochs", 0, 1, 1<<20)}
			}},
	}
}

func (o *options) pool() Pool {
	p := Pool{Multiple: o.integer("pool", 0, 1, maxMultiple), Base: o.plainBase(), Importance: o.word("weight", "unit", "importance") == "importance"}
	if pick := o.word("pick", "default", pickWithout, pickMultinomial, pickTop); pick != "default" {
		p.Pick = pick
	}
	return p
}

func (o *options) raw() bool { return o.word("labels", "centred", "raw") == "raw" }

func (o *options) tefm(hadamard bool) rff.Sampler {
	return TEFM{Hadamard: hadamard, Multiple: o.integer("pool", 0, 1, maxMultiple), Base: o.plainBase(), Power: o.integer("power", 0, 0, 100)}
}

func (o *options) metric() Metric {
	s := Metric{Fast: o.word("preset", "thorough", "fast") == "fast", Diagonal: o.yes("diagonal")}
	base := o.sampler("base", "orf", "rff", "rff-phase", "sorf", "fastfood", "halton", "sobol")
	if _, given := o.values["base"]; given {
		s.Base = base
	}
	return s
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
