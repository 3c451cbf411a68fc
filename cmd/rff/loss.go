package main

import (
	"errors"

	flag "github.com/spf13/pflag"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/loss"
)

// ownLoss reports whether a loss is another than squares.
func ownLoss(text string) bool {
	l, _, err := loss.Parse(text, 1)
	return l != nil && err == nil
}

// declareLoss declares what a fit minimises.
func declareLoss(f *flag.FlagSet, p *string) {
	declare(f, p, "loss", "squares", "`loss` that the fit minimises, beside λ‖β‖². Of classes: squares, hard:TIMES (squares, solved again\nwith rows near the border or beyond it counted so often, for rare kinds among many rows),\nlogistic, squared-hinge, smoothed-hinge. Of numbers: squares, huber:DELTA (linear beyond an\nerror of DELTA), expectile:TAU (above the target weighs TAU, below it 1 − TAU),\nquantile:TAU,TAU,… (a prediction for each level, in order), poisson (counts)",
		func(text string) (string, error) {
			_, _, err := loss.Parse(text, 1)
			if p := (*rff.ParameterError)(nil); errors.As(err, &p) {
				err = errors.New(p.Need)
			}
			return text, err
		})
	words(f, "loss", loss.Names()...)
}
