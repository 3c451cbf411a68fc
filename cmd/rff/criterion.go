package main

import (
	"fmt"
	"io"

	flag "github.com/spf13/pflag"

	"github.com/rffgo/rff/krr"
)

// criterion is krr.Criterion as a flag.
type criterion string

// declare declares the flag.
func (c *criterion) declare(f *flag.FlagSet) {
	choose(f, c, "criterion", "`estimate` of the squared error on new rows that chooses λ: cv leaves out one fold after the\nother, a reduction of features × features numbers for each and their sums in memory; gcv\n(generalised cross-validation) takes one reduction, no folds and no more data; loo leaves out\neach row, exactly, by one reduction and a second pass that takes longer than the first", "cv", "gcv", "loo")
}

// setting returns what the library calls c.
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
	return firstOf(
		given.unused(fit.auto, "does not go with --auto, which chooses λ on held-out rows", "criterion"),
		given.unused(fit.learn.lambda.set, "is of no use: with --lambda there is no λ to choose", "criterion"),
		given.unused(cg && !c.folds(), "does not go with --solver cg, which chooses λ on one held-out fold", "criterion"),
		given.unused(!c.folds() && !given.has("folds") && !fit.probabilities, "is of no use: --criterion "+string(c)+" leaves out no folds, unless --folds asks for them", "folds-by", "fold-rows"),
	)
}

// print says what error c found for the λ that was chosen, of a fit that held out no fold.
func (c criterion) print(w io.Writer, mse float64) {
	switch c {
	case "gcv":
		fmt.Fprintf(w, "estimate  mean squared error %.4g of new rows, by generalised cross-validation; --folds measures held-out ones\n", mse)
	case "loo":
		fmt.Fprintf(w, "held out  mean squared error %.4g, one row after the other; --folds measures more\n", mse)
	default:
		fmt.Fprintf(w, "held out  mean squared error %.4g, of one fold\n", mse)
	}
}
