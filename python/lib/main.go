// Command lib is the library for Python, built as a shared object: package rff in python/ calls
// it by ctypes. It needs a C compiler.
//
// Python starts a job and waits for it, a little at a time, so that a signal reaches Python
// while the job runs. A request and its reply are JSON, numbers are read and written where NumPy
// has them. Models and sums stay here, under numbers that Python gives back (free).
package main

/*
#include <stdint.h>
#include <stdlib.h>

// rff_array is an array of n rows: its role, where element [0][0] is, its shape, the bytes from
// one row and one column to the next, and the type of its elements as NumPy writes it: kind
// ('f', 'i', 'u', 'b') and bytes.
typedef struct {
	char role, kind;
	int16_t size;
	int32_t unused;
	void *data;
	int64_t rows, cols, row, col;
} rff_array;
*/
import "C"

import (
	"encoding/json"
	"time"
	"unsafe"
)

func main() {}

// rff_start starts a job: text is the request, of that many bytes. The arrays, and what they
// point to, must stay in place until rff_wait has said that the job is done.
//
//export rff_start
func rff_start(text *C.char, size C.int64_t, arrays *C.rff_array, count C.int32_t) C.int64_t {
	request := C.GoBytes(unsafe.Pointer(text), C.int(size))
	var all []array
	for _, a := range unsafe.Slice(arrays, int(count)) {
		all = append(all, array{role: byte(a.role), kind: byte(a.kind), size: int(a.size), data: a.data,
			rows: int(a.rows), cols: int(a.cols), row: int(a.row), col: int(a.col)})
	}
	return C.int64_t(start(request, all))
}

// rff_wait waits for a job for at most that many milliseconds. It returns the reply in JSON,
// which rff_release frees: "progress" while the job runs, and then "result" or "error", after
// which there is no such job.
//
//export rff_wait
func rff_wait(job, milliseconds C.int64_t) *C.char {
	text, err := json.Marshal(wait(int64(job), time.Duration(milliseconds)*time.Millisecond))
	if err != nil {
		panic(err) // no reply has what JSON cannot say
	}
	return C.CString(string(text))
}

// rff_cancel asks a job to end soon, with an error.
//
//export rff_cancel
func rff_cancel(job C.int64_t) { cancel(int64(job)) }

// rff_free forgets a model or sums.
//
//export rff_free
func rff_free(handle C.int64_t) { held.Delete(int64(handle)) }

// rff_release frees what a reply points to.
//
//export rff_release
func rff_release(p unsafe.Pointer) { C.free(p) }
