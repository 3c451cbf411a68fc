// Package golden lets tests compare results bit by bit with those of another
// platform: digests of what one machine computed are committed, and every CPU,
// compiler and number of workers must arrive at the same.
package golden

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden digests from what this machine computes")

// Digest hashes numbers bit by bit. All NaNs count alike: their signs and
// payloads differ between platforms and are part of no definition.
type Digest struct{ buf []byte }

// Add appends numbers.
func (d *Digest) Add(x ...float64) {
	for _, v := range x {
		if v != v {
			v = math.NaN()
		}
		d.buf = binary.LittleEndian.AppendUint64(d.buf, math.Float64bits(v))
	}
}

// AddAll appends the numbers of x.
func AddAll[T float32 | float64](d *Digest, x []T) {
	for _, v := range x {
		d.Add(float64(v))
	}
}

// AddBytes appends b.
func (d *Digest) AddBytes(b []byte) { d.buf = append(d.buf, b...) }

// Sum returns 128 bits of the digest of what was added.
func (d *Digest) Sum() string {
	s := sha256.Sum256(d.buf)
	return fmt.Sprintf("%x", s[:16])
}

const file = "golden.txt"

// Want returns the digests of testdata/golden.txt, one "name digest" a line.
// With the flag -update it first writes those that make returns there.
func Want(t testing.TB, make func() map[string]string) map[string]string {
	t.Helper()
	path := filepath.Join("testdata", file)
	if *update {
		var text bytes.Buffer
		got := make()
		for _, name := range slices.Sorted(maps.Keys(got)) {
			fmt.Fprintln(&text, name, got[name])
		}
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, digest, _ := strings.Cut(strings.TrimSpace(line), " ")
		want[name] = digest
	}
	return want
}

// Compare reports every digest of got that is not want's; where says what ran.
// If the definition of a result was changed on purpose, rewrite the digests:
//
//	go test ./PACKAGE -run TestGolden -update
func Compare(t testing.TB, where string, got, want map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if want[name] != got[name] {
			t.Errorf("%s: %s has digest %s, testdata/%s has %q", where, name, got[name], file, want[name])
		}
	}
	for name := range want {
		if _, ok := got[name]; !ok {
			t.Errorf("%s: testdata/%s has %s, which nothing computes", where, file, name)
		}
	}
}
