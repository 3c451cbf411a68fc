package blas

import "runtime"

// Engine says where matrix work runs: on which backend and with how many
// workers. The zero Engine is the default: the native backend, one worker per
// processor. It is a value; copies are independent.
type Engine struct {
	Backend Backend // nil: the default backend
	Workers int     // 0: runtime.GOMAXPROCS(0)
}

// Backend is one implementation of the matrix work.
type Backend interface {
	// Name is the word users select the backend by: "native", "gonum", "openblas".
	Name() string
	// Exact reports whether results are the twins' to the last bit.
	Exact() bool
}

type native struct{}

func (native) Name() string { return "native" }
func (native) Exact() bool  { return true }

// Lookup returns the backend of that name; "" is the default.
func Lookup(name string) (Backend, error) {
	switch name {
	case "", "native":
		return native{}, nil
	}
	return nil, &UnknownBackendError{Name: name, Hint: "known here: native"}
}

func (e Engine) workers() int {
	if e.Workers > 0 {
		return e.Workers
	}
	return runtime.GOMAXPROCS(0)
}
