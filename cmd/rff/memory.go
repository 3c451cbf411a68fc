package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/krr"
)

// A fit is refused before the work begins if this machine lacks the memory for it.

// checkMemory returns an error if there is no memory for a fit, before its map is
// drawn.
func checkMemory(data rff.Source, by *samplerFlags, s krr.Settings) error {
	return fits.CheckMemory(data.Schema(), by.features, by.sampler, s)
}

// roomFor returns an error if there is no memory for a fit of that many rows or more, whatever
// the data are. A fit of fewer rows than features may need less.
func roomFor(by *samplerFlags, features int, rows int64, s krr.Settings) error {
	if fits.CheckMemory(oneColumn(max(1, rows)), features, by.sampler, s) == nil {
		return nil
	}
	return fits.CheckMemory(oneColumn(math.MaxInt64), features, by.sampler, s) // for any number of rows
}

// oneColumn is a schema for data that are not read yet. They have at least one input.
func oneColumn(rows int64) rff.Schema {
	return rff.Schema{Inputs: make([]rff.Column, 1), Target: rff.Target{Columns: 1}, Rows: rows}
}

// whileRoom returns a context and a progress function for the first pass over the
// rows. The function cancels the context once the rows read are too many for a fit
// with so many features.
func whileRoom(ctx context.Context, progress func(int64), by *samplerFlags, features int, s krr.Settings) (context.Context, func(int64), context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	return ctx, func(rows int64) {
		if err := roomFor(by, features, rows, s); err != nil {
			cancel(err)
		}
		progress(rows)
	}, func() { cancel(nil) }
}

// roomForRows returns how many bytes of rows a first pass may keep for the passes that follow. It
// is 256 MiB, or 0 if that is more than a sixteenth of the available memory.
func roomForRows() int64 {
	const most = 256 << 20
	if fits.CheckMemory(oneColumn(1), 1, nil, krr.Settings{Passes: &krr.Passes{Memory: 16 * most}}) != nil {
		return 0
	}
	return most
}

// withoutSolver removes the advice to use conjugate gradients from an error about
// memory, for fits that cannot use them.
func withoutSolver(err error) error {
	var s *rff.ParameterError
	if !errors.As(err, &s) {
		return err
	}
	c := *s
	c.Need = strings.Replace(c.Need, ", or set Passes", "", 1)
	return &c
}

// settingFlags are the flags that stand for settings of package krr. Their errors say the value, too,
// where that is the one of the flag.
var settingFlags = map[string]struct {
	flag  string
	value bool
}{"features": {"features", true}, "folds": {"folds", true}, "memory": {"memory", false}, "lambda": {"lambda", true}, "solver": {"solver", false}, "variance": {"variance", false}, "probabilities": {"probabilities", false}, inside.IntervalsBy: {"interval-by", true}}

// flaggedSetting names the flag of a setting or parameter that cannot be used.
func flaggedSetting(err error) error {
	var s *rff.ParameterError
	if !errors.As(err, &s) || settingFlags[s.Name].flag == "" || err.Error() != s.Error() {
		return err
	}
	of, need := settingFlags[s.Name], errors.New(s.Need+question(unknownWord(err)))
	if of.value {
		return &flagError{fmt.Sprintf("%s %v", of.flag, s.Value), need}
	}
	return &flagError{of.flag, need}
}
