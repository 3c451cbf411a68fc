//go:build race

package blas

func init() { raceDetector = true }
