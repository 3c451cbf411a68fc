module github.com/rffgo/rff

go 1.24.0

require (
	github.com/klauspost/compress v1.18.0
	github.com/klauspost/cpuid/v2 v2.4.2
	gonum.org/v1/gonum v0.17.0
	gonum.org/v1/netlib v0.0.0-20230729102104-8b8060e7531f
)

require golang.org/x/sys v0.41.0 // indirect
