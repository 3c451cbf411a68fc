package main

import (
	"cmp"
	"fmt"
	"math"

	flag "github.com/spf13/pflag"

	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/krr"
)

// criterion is krr.Criterion as a flag.
type criterion string

// declare declares the flag.
func (c *criterion) declare(f *flag.FlagSet) {
	choose(f, c, "criterion", "`estimate` of the squared error on new rows, or with --probabilities of the log loss, that\nchooses λ: cv leaves out one fold after the other, and keeps the sums of each in memory; gcv\n(generalised cross-validation, of squared errors alone) needs no folds and is the fastest; loo leaves\nout each row, exactly, in a second pass that takes longer than the first", "cv", "gcv", "loo")
}

// setting returns c as a krr.Criterion.
func (c criterion) setting() krr.Criterion {
	switch c {
	case "gcv":
		return krr.GCV
	case "loo":
		return krr.LeaveOneOut
	}
	return krr.CrossValidation
}

// folds reports whether c leaves out folds.
func (c criterion) folds() bool { return c == "cv" }

// check refuses flags that c has no use for.
func (c criterion) check(given given, fit *fitting) error {
	cg := fit.solver == "cg"
	return cmp.Or(
		given.unused(fit.auto, "does not go with --auto, which chooses λ on held-out rows", "criterion"),
		given.unused(fit.learn.lambda.set, "is of no use: with --lambda there is no λ to choose", "criterion"),
		given.unused(cg && !c.folds(), "does not go with --solver cg, which chooses λ on one held-out fold", "criterion"),
		given.unused(!c.folds() && !given.has("folds") && !fit.probabilities, "is of no use: --criterion "+string(c)+" leaves out no folds, unless --folds asks for them", "folds-by", "fold-rows"),
	)
}

// addTo says which error c found for the chosen λ. It is for a fit that measured no held-out
// rows.
func (c criterion) addTo(w *facts, mse float64, r *fits.Fitted) {
	what, by, mean := "held out", "of one fold", 0.0
	if c == "gcv" {
		what, by = "estimate", "of new rows, by generalised cross-validation; --folds measures held-out ones"
	}
	for t, r2 := range r.Train.R2 {
		mean += float64(r.Train.RMSE[t]*r.Train.RMSE[t]) / (1 - r2)
	}
	of := ""
	if mean > 0 && !math.IsInf(mean, 1) {
		of = fmt.Sprintf(" (the mean alone: %.4g)", mean)
	}
	if len(r.Schema.Target.Classes) > 0 {
		of += " of the codes −1 and +1"
	}
	w.add(what, "mean squared error %.4g%s %s", mse, of, by)
}
