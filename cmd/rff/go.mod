module github.com/rffgo/rff/cmd/rff

go 1.24.0

require (
	github.com/klauspost/cpuid/v2 v2.3.0
	github.com/rffgo/rff v0.0.0-00010101000000-000000000000
	github.com/rffgo/rff/dataset/avro v0.0.0-00010101000000-000000000000
	github.com/rffgo/rff/dataset/brotli v0.0.0-00010101000000-000000000000
	github.com/rffgo/rff/dataset/parquet v0.0.0-00010101000000-000000000000
	github.com/rffgo/rff/dataset/zstd v0.0.0-00010101000000-000000000000
	github.com/rffgo/rff/onnx v0.0.0-00010101000000-000000000000
	github.com/spf13/cobra v1.10.2
	github.com/spf13/pflag v1.1.0
	gonum.org/v1/gonum v0.17.0
)

require (
	github.com/andybalholm/brotli v1.2.0 // indirect
	github.com/golang/snappy v1.0.0 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/klauspost/compress v1.19.2 // indirect
	github.com/rffgo/rff/dataset/internal v0.0.0-00010101000000-000000000000 // indirect
	golang.org/x/sys v0.41.0 // indirect
	gonum.org/v1/netlib v0.0.0-20230729102104-8b8060e7531f // indirect
)
