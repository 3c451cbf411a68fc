module github.com/rffgo/rff/bench

go 1.24.0

require (
	github.com/klauspost/cpuid/v2 v2.3.0
	github.com/rffgo/rff v0.0.0-00010101000000-000000000000
	github.com/rffgo/rff/blas/gonumblas v0.0.0-00010101000000-000000000000
	github.com/rffgo/rff/cmd/rff v0.0.0-00010101000000-000000000000
	github.com/rffgo/rff/dataset/parquet v0.0.0-00010101000000-000000000000
	github.com/spf13/cobra v1.10.2
	github.com/spf13/pflag v1.1.0
	github.com/yuin/goldmark v1.8.7
	golang.org/x/mod v0.32.0
	gonum.org/v1/gonum v0.17.0
)

require (
	github.com/golang/snappy v1.0.0 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/klauspost/compress v1.19.2 // indirect
	github.com/rffgo/rff/dataset/internal v0.0.0-00010101000000-000000000000 // indirect
	golang.org/x/sys v0.41.0 // indirect
	gonum.org/v1/netlib v0.0.0-20230729102104-8b8060e7531f // indirect
)
