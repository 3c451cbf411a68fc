package sampling

import "github.com/rffgo/rff"

// dependentSamplers is the part of ByName's table whose samplers choose or project features
// by looking at data.
func dependentSamplers() []entry {
	const pool = "pool=4,base=rff|…,pick=without|multinomial|top,weight=unit|importance"
	return []entry{
		{"leverage", "ridge leverage scores of a pool (Li et al.)", pool + ",lambda=1e-3,sums=float64|float32,published=no|yes",
			func(o *options) rff.Sampler {
				if o.yes("published") {
					return Leverage{Published: true, Lambda: o.number("lambda", 0, 0, 1e300)}
				}
				s := Leverage{Pool: o.pool(), Lambda: o.number("lambda", 0, 0, 1e300)}
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
				return EERF{Pool: o.pool(), Fraction: o.number("fraction", 0, 0, 1), Raw: o.raw()}
			}},
		{"lkrf", "weights optimised in a χ² ball, then drawn or kept (Sinha and Duchi)", pool + ",rho=0.005·pool,keep=no|yes,fraction=1,labels=centred|raw",
			func(o *options) rff.Sampler {
				s := LKRF{Pool: o.pool(), Rho: o.number("rho", 0, 0, 1e300), Keep: o.yes("keep"),
					Fraction: o.number("fraction", 0, 0, 1), Raw: o.raw()}
				if s.Keep {
					o.fail(s.weighs("lkrf with keep=yes"))
				}
				return s
			}},
		{"ses", "weights fitted to the kernel on pairs of rows, with shrinkage (Chang et al.)", "pool=1,base=rff|…,pairs=0,lambda=1e-3",
			func(o *options) rff.Sampler {
				return SES{Pool: Pool{Multiple: o.integer("pool", 0, 1, maxMultiple), Base: o.plainBase()},
					Pairs: o.integer("pairs", 0, 1, 1<<30), Lambda: o.number("lambda", 0, 0, 1e300)}
			}},
		{"tefm-g", "projection to the dominant subspace, Gaussian sketch (Chen et al.)", "pool=4,base=rff|…,power=0",
			func(o *options) rff.Sampler { return o.tefm(false) }},
		{"tefm-s", "projection to the dominant subspace, Hadamard sketch (Chen et al.)", "pool=4,base=rff|…,power=0",
			func(o *options) rff.Sampler { return o.tefm(true) }},
		nystromEntry(),
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
