// Package openblas lends rff the products of OpenBLAS, or of another library
// with the CBLAS interface, through gonum/netlib. It is optional: the default
// build of rff is pure Go and assembly and needs no C compiler.
//
// A program gets the backend by its build tags alone, and by name at run time:
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
// The parallel work of rff is over blocks of rows and tiles of results, with
// single-threaded products beneath. The number of threads is a property of the
// process in OpenBLAS, so the first product that this backend is asked for sets
// it to one, unless SetThreads was called before; importing the package changes
// nothing. At most one product per processor runs at a time, whatever the
// number of goroutines: OpenBLAS has a fixed number of buffers and ends the
// process when they run out.
//
// # Reproducibility
//
// Results depend on the library and the processor: they are not the bits that
// the native backend gives, and Exact reports false.
package openblas
