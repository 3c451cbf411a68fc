//go:build cgo && openblas

package rff

import _ "github.com/rffgo/rff/cgo" // registers the backend
