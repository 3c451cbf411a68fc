package main

import (
	"fmt"
	"sync"
	"sync/atomic"
)

var (
	held    sync.Map // int64 → *krr.Model or *krr.Gram
	numbers atomic.Int64
)

// hold gives v a number by which Python names it.
func hold(v any) int64 {
	n := numbers.Add(1)
	held.Store(n, v)
	return n
}

// of returns what has that number.
func of[T any](handle int64) (v T, err error) {
	any, _ := held.Load(handle)
	v, ok := any.(T)
	if !ok {
		err = fmt.Errorf("rff: %d is no %T that is held", handle, v)
	}
	return v, err
}
