//go:build !linux

package blas

func preferHugePages[T Float](s []T) {}
