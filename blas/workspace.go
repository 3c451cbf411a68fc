package blas

import "sync"

// Workspaces are kept between calls, per element type, until the garbage
// collector wants them.
var workspaces64, workspaces32 sync.Pool

func workspacesOf[T Float]() *sync.Pool {
	var t T
	if _, ok := any(t).(float64); ok {
		return &workspaces64
	}
	return &workspaces32
}

// workspace is a buffer with whatever a former use left in it.
type workspace[T Float] struct{ data []T }

// borrow returns a workspace of n elements.
func borrow[T Float](n int) *workspace[T] {
	w, _ := workspacesOf[T]().Get().(*workspace[T])
	if w == nil {
		w = new(workspace[T])
	}
	if cap(w.data) < n {
		w.data = allocate[T](n)
	}
	w.data = w.data[:n]
	return w
}

// giveBack ends the use of w.
func (w *workspace[T]) giveBack() { workspacesOf[T]().Put(w) }
