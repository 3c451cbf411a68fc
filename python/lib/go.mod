module github.com/rffgo/rff/python/lib

go 1.24.0

require (
	github.com/rffgo/rff v0.0.0-00010101000000-000000000000
	github.com/rffgo/rff/cmd/rff v0.0.0-00010101000000-000000000000
	github.com/rffgo/rff/dataset/parquet v0.0.0-00010101000000-000000000000
	gonum.org/v1/gonum v0.17.0
)

require (
	github.com/golang/snappy v1.0.0 // indirect
	github.com/klauspost/compress v1.19.2 // indirect
	github.com/klauspost/cpuid/v2 v2.3.0 // indirect
	github.com/rffgo/rff/dataset/internal v0.0.0-00010101000000-000000000000 // indirect
	golang.org/x/sys v0.41.0 // indirect
	gonum.org/v1/netlib v0.0.0-20230729102104-8b8060e7531f // indirect
)
