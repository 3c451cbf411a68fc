//go:build cgo && openblas

package blas_test

import (
	"testing"

	_ "github.com/rffgo/rff/cgo"
)

func TestOpenBLAS(t *testing.T) { conforms(t, "openblas") }
