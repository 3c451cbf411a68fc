module github.com/rffgo/rff

go 1.24.0

require (
	github.com/klauspost/cpuid/v2 v2.3.0 // what came later compiles all of golang.org/x/sys/unix
	gonum.org/v1/gonum v0.17.0
	gonum.org/v1/netlib v0.0.0-20230729102104-8b8060e7531f
)

require (
	golang.org/x/exp v0.0.0-20260112195511-716be5621a96 // indirect
	golang.org/x/sys v0.41.0 // indirect
)
