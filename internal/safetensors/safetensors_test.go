package safetensors_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/safetensors"
)

// refused is the error of the tests' format.
type refused struct{ why string }

func (r *refused) Error() string { return r.why }

var format = safetensors.Format{
	Accept: func(meta map[string]string) error {
		if meta["kind"] != "test" {
			return &refused{"another kind"}
		}
		return nil
	},
	Refuse: func(why string) error { return &refused{why} },
}

// example is a file with a tensor of every sort.
func example() *safetensors.Writer {
	w := &safetensors.Writer{Meta: map[string]string{"kind": "test", "note": `"sha256":"x"`}}
	w.AddMatrix("matrix", blas.General[float64]{Rows: 2, Cols: 2, Stride: 3, Data: []float64{1, 2, 9, 3, 4}})
	w.AddUpper("upper", blas.General[float64]{Rows: 2, Cols: 2, Stride: 2, Data: []float64{5, 6, 9, 7}})
	w.Add("vector", []float64{math.Copysign(0, -1), math.Inf(1), 0x1p-1074})
	w.Add("empty", []float64{})
	w.Add("none", nil)
	w.AddInts("ints", []int{-1, math.MaxInt32})
	w.SetJSON("list", []int{1, 2})
	return w
}

func TestRoundTrip(t *testing.T) {
	b, err := example().Bytes()
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int64{-1, int64(len(b))} {
		f, err := format.Read(iotest.HalfReader(bytes.NewReader(b)), size)
		if err != nil {
			t.Fatal(err)
		}
		if m := f.Matrix("matrix", 2, -1); m.Rows != 2 || m.Cols != 2 || !slices.Equal(m.Data, []float64{1, 2, 3, 4}) {
			t.Errorf("matrix %v", m)
		}
		u := blas.NewGeneral[float64](2, 2)
		if f.Upper("upper", u); !slices.Equal(u.Data, []float64{5, 6, 0, 7}) {
			t.Errorf("upper %v", u)
		}
		if v := f.Vector("vector", 3); !math.Signbit(v[0]) || v[0] != 0 || !math.IsInf(v[1], 1) || v[2] != 0x1p-1074 {
			t.Errorf("vector %v", v)
		}
		if v := f.Optional("empty", 0); v == nil || len(v) != 0 {
			t.Errorf("empty %v", v)
		}
		if v := f.Optional("none", 3); v != nil || f.Has("none") {
			t.Errorf("none %v", v)
		}
		if v := f.Ints("ints", 2); !slices.Equal(v, []int{-1, math.MaxInt32}) {
			t.Errorf("ints %v", v)
		}
		var list []int
		if f.JSON("list", &list); !slices.Equal(list, []int{1, 2}) || f.Meta["note"] != `"sha256":"x"` || f.Err() != nil {
			t.Errorf("metadata %v, %v, %v", list, f.Meta, f.Err())
		}
		// Of several errors the first is kept, and what is wrong is empty.
		for name, read := range map[string]func(f *safetensors.File) bool{
			"missing":    func(f *safetensors.File) bool { return f.Vector("none", -1) == nil },
			"length":     func(f *safetensors.File) bool { return f.Vector("vector", 4) == nil },
			"number":     func(f *safetensors.File) bool { return f.Number("vector") == 0 },
			"dimensions": func(f *safetensors.File) bool { return f.Vector("matrix", 4) == nil },
			"type":       func(f *safetensors.File) bool { return f.Vector("ints", 2) == nil },
			"shape":      func(f *safetensors.File) bool { return f.Matrix("matrix", 2, 3).Data == nil },
			"JSON":       func(f *safetensors.File) bool { f.JSON("kind", &list); return true },
		} {
			f, err := format.Read(bytes.NewReader(b), size)
			if err != nil {
				t.Fatal(err)
			}
			empty := read(f)
			if first := f.Err(); !empty || !errors.As(first, new(*refused)) || f.Bad("later") != first || f.Err() != first {
				t.Errorf("%s: %v, empty %v", name, f.Err(), empty)
			}
		}
		// What was read writes the same tensors, in the same order.
		again := &safetensors.Writer{Meta: f.Meta, List: f.Tensors()}
		if c, err := again.Bytes(); err != nil || !bytes.Equal(b, c) {
			t.Errorf("written again: another file, %v", err)
		}
	}
}

// Every bit counts, and so does every byte that is missing or too many.
func TestDamage(t *testing.T) {
	good, _ := example().Bytes()
	try := func(name string, b []byte) {
		for _, size := range []int64{-1, int64(len(b))} {
			if _, err := format.Read(bytes.NewReader(b), size); !errors.As(err, new(*refused)) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= 0x04
		try(fmt.Sprint("bit flipped in byte ", i), bad)
		try(fmt.Sprint("cut to ", i), good[:i])
	}
	try("more", append(bytes.Clone(good), 0))
	other := example()
	other.Meta["kind"] = "other"
	b, _ := other.Bytes()
	if _, err := format.ReadHeader(bytes.NewReader(b), -1); err == nil || err.Error() != "another kind" {
		t.Errorf("another kind: %v", err)
	}
}

// Errors of the reader and the writer come through as they are.
func TestBrokenStreams(t *testing.T) {
	good, _ := example().Bytes()
	broken := errors.New("broken")
	for after := range good {
		if _, err := format.Read(io.MultiReader(bytes.NewReader(good[:after]), iotest.ErrReader(broken)), -1); err != broken {
			t.Errorf("reading fails after %d bytes: %v", after, err)
		}
	}
	if n, err := example().WriteTo(failing{broken}); err != broken || n != 0 {
		t.Errorf("writing: %d bytes, %v", n, err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// A header that promises much takes no memory for it.
func TestPromises(t *testing.T) {
	for _, header := range []string{
		`{"__metadata__":{"kind":"test","sha256":"` + strings.Repeat("0", 64) + `"},"a":{"dtype":"F64","shape":[1099511627776],"data_offsets":[0,8796093022208]}}`,
		`{"__metadata__":{"kind":"test"},"a":{"dtype":"F64","shape":[2],"data_offsets":[0,8]}}`,
		`{"__metadata__":{"kind":"test"},"a":{"dtype":"F64","shape":[1],"data_offsets":[8,16]}}`,
		`{"__metadata__":{"kind":"test"},"a":{"dtype":"F64","shape":[-1],"data_offsets":[0,-8]}}`,
		`{"__metadata__":{"kind":"test"},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`,
		`{"__metadata__":{"kind":"test"}} {}`,
	} {
		b := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
		b = append(b, make([]byte, 64)...)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := format.Read(bytes.NewReader(b), -1)
		runtime.ReadMemStats(&after)
		if !errors.As(err, new(*refused)) {
			t.Errorf("%s: %v", header, err)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
			t.Errorf("%s: %d bytes of memory", header, n)
		}
	}
}
