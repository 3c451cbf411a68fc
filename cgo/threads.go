package openblas

import (
	"strconv"

	"github.com/rffgo/rff/asm"
)

// threadsError says why the library cannot use n threads.
func threadsError(n int, why string) error {
	return &asm.SelectError{Setting: "OpenBLAS threads", Word: strconv.Itoa(n), Why: why}
}
