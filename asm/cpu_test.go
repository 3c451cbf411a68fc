package asm

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestRequired fails when an instruction set that RFF_TEST_REQUIRE names would
// be skipped by every test that runs over All.
func TestRequired(t *testing.T) {
	if err := Select(); err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, k := range All[float64]() {
		have = append(have, k.ISA)
	}
	t.Log("kernels under test:", have)
	for _, isa := range strings.Split(os.Getenv("RFF_TEST_REQUIRE"), ",") {
		if isa = strings.TrimSpace(isa); slices.Contains(isas, isa) && !slices.Contains(have, isa) {
			t.Errorf("RFF_TEST_REQUIRE names %s, but only %v run here", isa, have)
		}
	}
}

func TestBind(t *testing.T) {
	fake := func(isa string) implementation { return implementation{isa: isa} }
	can := []implementation{fake("avx512"), fake("avx2")}
	for _, c := range []struct {
		words, want string
		bad         string
	}{
		{"", "avx512 avx2 go", ""},
		{"noavx512", "avx2 go", ""},
		{"noavx2", "go", ""},
		{"noneon", "avx512 avx2 go", ""},
		{" go ", "go", ""},
		{"noasm", "go", ""},
		{"avx2", "avx2 go", ""},
		{"avx512,", "avx512 go", ""},
		{"neon", "avx512 avx2 go", "neon"},
		{"noavx512,avx512", "avx512 avx2 go", "avx512"},
		{"go,avx2", "avx512 avx2 go", "avx2"},
		{"go+avx2", "avx512 avx2 go", "go+avx2"},
		{"noavx51", "avx512 avx2 go", "noavx51"},
		{"AVX2", "avx512 avx2 go", "AVX2"},
		{"nogo", "avx512 avx2 go", "nogo"},
		{"avx2,sse", "avx512 avx2 go", "sse"},
		{"no", "avx512 avx2 go", "no"},
	} {
		b := bind(c.words, can)
		var got []string
		for _, i := range b.set {
			got = append(got, i.isa)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("RFF_CPU=%q binds %q, want %q", c.words, s, c.want)
		}
		var e *SelectError
		if errors.As(b.err, &e) != (c.bad != "") || (e != nil && e.Word != c.bad) {
			t.Errorf("RFF_CPU=%q: error %v, want one about %q", c.words, b.err, c.bad)
		}
		if e != nil {
			for _, part := range []string{"RFF_CPU", c.bad, "avx512, avx2, go"} {
				if !strings.Contains(e.Error(), part) {
					t.Errorf("RFF_CPU=%q: error %q does not name %q", c.words, e, part)
				}
			}
		}
	}
}

func TestTables(t *testing.T) {
	testTables[float64](t)
	testTables[float32](t)
}

func testTables[T Float](t *testing.T) {
	all := All[T]()
	if Native[T]() != all[0] {
		t.Error("Native is not the best of All")
	}
	if all[len(all)-1].ISA != "go" {
		t.Error("All does not end in the reference kernel")
	}
	for _, k := range all {
		if k.Panel%k.MR != 0 {
			t.Errorf("%s: MR %d does not divide Panel %d", k.ISA, k.MR, k.Panel)
		}
		if k.Width < k.Panel || k.Width%k.Panel != 0 {
			t.Errorf("%s: Panel %d does not divide Width %d", k.ISA, k.Panel, k.Width)
		}
	}
}
