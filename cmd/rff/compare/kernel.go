package compare

import (
	"context"
	"fmt"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/krr"
)

// FindKernel returns the kernel of a specification (see rff.ParseKernel). If it has no bandwidth,
// the rule finds one on scaled training rows.
func FindKernel(ctx context.Context, spec string, rule Bandwidth, train *dataset.Table, fit krr.Settings, seed uint64) (rff.Kernel, error) {
	k, err := rff.ParseKernel(spec)
	if err != nil {
		return nil, err
	}
	return fits.SearchBandwidth(ctx, k, train.Source(), rule, fit, seed)
}

// openBandwidth reports whether the kernel leaves its bandwidth to the rule.
func (s *Settings) openBandwidth() bool {
	k, err := rff.ParseKernel(s.Kernel)
	if err == nil {
		_, err = rff.WithBandwidth(k, 1)
	}
	return err == nil
}

func kernelText(k rff.Kernel) string {
	if s, ok := k.(fmt.Stringer); ok {
		return s.String()
	}
	return fmt.Sprintf("%T", k)
}
