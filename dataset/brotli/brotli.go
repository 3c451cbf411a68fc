// Package brotli lets package dataset/parquet read pages compressed with Brotli.
// Import it for that effect:
//
//	import _ "github.com/rffgo/rff/dataset/brotli"
//
// It is a module of its own because its decoder imports net/http, which takes longer to
// compile than package dataset and all that it stands on.
package brotli

import (
	"io"

	"github.com/andybalholm/brotli"

	"github.com/rffgo/rff/dataset/internal/codec"
)

func init() {
	codec.RegisterBrotli(func(r io.Reader) io.Reader { return brotli.NewReader(r) })
}
