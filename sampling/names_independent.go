package sampling

import "github.com/rffgo/rff"

// independentStrategies is the part of ByName's table that looks at no data.
func independentStrategies() []strategy {
	return []strategy{
		{"rff", "Monte Carlo, cosine and sine per frequency (Rahimi and Recht)", "form=pair|phase",
			func(o *options) rff.Sampler { return MonteCarlo{Form: o.form()} }},
		{"rff-phase", "Monte Carlo, one cosine with a random phase per frequency", "",
			func(o *options) rff.Sampler { return MonteCarlo{Form: rff.CosBias} }},
	}
}
