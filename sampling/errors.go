package sampling

import (
	"fmt"
	"strings"

	"github.com/rffgo/rff"
)

// Panics: what only a programmer can cause.
const (
	errNoSource = "sampling: no source of random numbers"
	errDim      = "sampling: no sequence has so many coordinates"
	errPoint    = "sampling: a point needs as many elements as the sequence has coordinates"
)

// UnsupportedKernelError says that a sampler's theory does not hold for a kernel.
type UnsupportedKernelError struct {
	Sampler string
	Kernel  rff.Kernel
	Why     string
}

func (e *UnsupportedKernelError) Error() string {
	name := "no kernel"
	if e.Kernel != nil {
		name = fmt.Sprintf("the kernel %v", e.Kernel)
	}
	return fmt.Sprintf("sampling: %s cannot be used with %s: %s", e.Sampler, name, e.Why)
}

// NameError says that ByName does not know a sampler, an option or its value.
type NameError struct {
	Spec  string   // as given
	What  string   // "sampler", "option", "value of pool"
	Word  string   // the part that is not known
	Known []string // what is
}

func (e *NameError) Error() string {
	return fmt.Sprintf("sampling: %q: unknown %s %q; known: %s", e.Spec, e.What, e.Word, strings.Join(e.Known, ", "))
}

// DimensionError says that a sampler does not reach a dimension.
type DimensionError struct {
	Sampler  string
	Dim, Max int
	Why      string
}

func (e *DimensionError) Error() string {
	return fmt.Sprintf("sampling: %s reaches %d dimensions, not %d: %s", e.Sampler, e.Max, e.Dim, e.Why)
}
