package rff

import (
	"errors"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
)

// Engine says where matrix work runs. The zero Engine is the default.
type Engine struct {
	// Backend is the name of what computes matrix products: "native", "gonum", or
	// "openblas" in a build with that tag. Features, fits and predictions of "native" have
	// the same bits on every machine. "native:go", "native:avx2", "native:avx512" and
	// "native:neon" are the native backend on one instruction set, with the same bits. "":
	// what the environment variable RFF_BACKEND names, or else "native".
	Backend string
	// Workers is the number of goroutines that work at a time. It changes no result of
	// the native backend. 0: runtime.GOMAXPROCS(0).
	Workers int
}

// On returns the map evaluated on engine e. Both maps share the frequencies. The error is a
// *ParameterError for a negative number of workers or a backend that this build or processor
// lacks.
func (m *Map) On(e Engine) (*Map, error) {
	at, err := e.of()
	if err != nil {
		return nil, err
	}
	return m.on(at), nil
}

// of returns the engine of package blas. The error is a *ParameterError unless the environment is
// wrong.
func (e Engine) of() (blas.Engine, error) {
	at, err := blas.NewEngine(e.Backend, e.Workers)
	var wrong *asm.SelectError
	if errors.As(err, &wrong) && (wrong.Setting == "workers" || wrong.Setting == "backend") {
		err = &ParameterError{Name: wrong.Setting, Value: wrong.Word, Need: wrong.Why}
	}
	return at, err
}

func (m *Map) on(e blas.Engine) *Map {
	return &Map{kernel: m.made().kernel, engine: e, packed: m.packed}
}
