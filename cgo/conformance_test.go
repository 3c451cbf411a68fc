//go:build cgo && openblas

package openblas_test

import (
	"testing"

	"github.com/rffgo/rff/blas/blastest"
)

func TestConformance(t *testing.T) { blastest.Run(t, lookup(t)) }
