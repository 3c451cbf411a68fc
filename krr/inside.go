package krr

import "github.com/rffgo/rff/internal/inside/hook"

// The programs of this module get these by internal/inside/fits.
func init() {
	hook.StepsOf = func(r any) []hook.Step { return r.(*AutoReport).steps }
	hook.Guess = func(held any) (class int, accuracy, balanced float64) {
		h := held.(*HeldOut)
		return h.common, h.guess, h.balanced
	}
	hook.Spread = func(held any) []float64 { return held.(*HeldOut).spread }
}
