// Package openblas is the backend "openblas" of rff: matrix products by OpenBLAS, or
// by another library with the CBLAS interface, through gonum/netlib. It is optional:
// the default build of rff is pure Go and assembly and needs no C compiler.
//
// Build tags add the backend to a program, which names it at run time:
//
//	apt-get install libopenblas-dev pkg-config
//	go build -tags openblas
//	backend, err := blas.Lookup("openblas") // or RFF_BACKEND=openblas
//
// Compiler and linker flags come from pkg-config. With -tags openblas,cblas
// they come from CGO_CFLAGS and CGO_LDFLAGS instead, for a library that
// pkg-config does not know (CGO_LDFLAGS="-lblis", say); SetThreads then has no
// function to call and returns an error.
//
// # Threads
//
// The workers of rff share blocks of rows and tiles of results; the products
// themselves run on one thread. OpenBLAS has one number of threads for the process:
// the first product of this backend sets it to one, unless SetThreads was called
// before. Importing the package changes nothing. At most one product per processor
// runs at a time, whatever the number of goroutines, because OpenBLAS has a fixed
// number of buffers and ends the process when they run out.
//
// # Reproducibility
//
// Results depend on the library and the processor: they are not the bits that
// the native backend gives, and Exact reports false.
package openblas
