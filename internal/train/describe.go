package train

import (
	"fmt"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
)

// Describe returns how training for one target runs on e; see blas.Describe.
func Describe[T asm.Float](e blas.Engine) blas.Operation {
	k := kernelsOf[T](e)
	return blas.Operation{Name: "training", Kernel: fmt.Sprintf("%s, strips of %d rows × %d columns; %d×%d tile", k.ISA, k.Strip, k.Width, k.MR, k.Width),
		Blocks: fmt.Sprintf("chains of %d rows (defines bits), %d panels at a time for one target", gradientRows, groupPanels(k, 1))}
}
