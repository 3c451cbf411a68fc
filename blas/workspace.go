package blas

import (
	"sync"
	"unsafe"
)

// Workspaces are kept between calls, per element type, until the garbage collector takes them.
// Those of a huge page and more have a pool of their own, so that a call that needs a large
// one finds it.
var workspaces64, workspaces32 [2]sync.Pool

// workspacesOf returns where workspaces of n elements are kept.
func workspacesOf[T Float](n int) *sync.Pool {
	large := 0
	if n*int(unsafe.Sizeof(*new(T))) >= hugePage {
		large = 1
	}
	if single[T]() {
		return &workspaces32[large]
	}
	return &workspaces64[large]
}

// workspace is a buffer with whatever a former use left in it.
type workspace[T Float] struct{ data []T }

// borrow returns a workspace of n elements.
func borrow[T Float](n int) *workspace[T] {
	pool := workspacesOf[T](n)
	w, _ := pool.Get().(*workspace[T])
	if w != nil && cap(w.data) < n { // a second one may have room, or else be the one to give up
		if v, _ := pool.Get().(*workspace[T]); v != nil {
			if cap(v.data) >= n || cap(v.data) < cap(w.data) {
				v, w = w, v
			}
			pool.Put(v) // the one that fits less well, or the larger of two that do not fit
		}
	}
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
func (w *workspace[T]) giveBack() { workspacesOf[T](cap(w.data)).Put(w) }
