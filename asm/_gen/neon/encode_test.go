package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sample emits every encoder once per element type, with registers that would
// show fields swapped.
func sample(c *code) {
	for _, c.elem = range []int{8, 4} {
		for _, table := range []struct {
			names map[string]uint32
			emit  func(name string)
		}{
			{threeSame, func(name string) { c.v(name, 1, 18, 31) }},
			{byElement, func(name string) {
				for i := range c.lanes() {
					c.elt(name, 1, 18, 31, i)
				}
			}},
			{twoMisc, func(name string) { c.un(name, 1, 30) }},
			{zeroMisc, func(name string) { c.cmp0(name, 1, 30) }},
			{bitwise, func(name string) {
				if name != "orr" { // its alias mov follows
					c.bits(name, 1, 18, 31)
				}
			}},
		} {
			var names []string
			for n := range table.names {
				names = append(names, n)
			}
			slices.Sort(names)
			for _, n := range names {
				table.emit(n)
			}
		}
		c.bits("orr", 1, 18, 31)
		c.shl(1, 30, 8*c.elem-2)
		c.addPair(1, 30)
	}
	c.perm2d("uzp1", 1, 18, 31)
	c.ext(1, 18, 31, 8)
	c.widen(1, 2, 30)
	c.add64(1, 18, 31)
	for i := range 8 {
		c.sdot(1, 18, 31, i%4)
		c.smlal(1, 18, 15, i, i%2)
		c.unzip(1, 18, 31, i%2)
		c.insert(1, 30, 4*i)
	}
	c.whole(1, 2, 30)
	c.times64(1, 18, 31)
}

var wordLine = regexp.MustCompile(`(?m)^\tWORD \$0x([0-9a-f]{8}) // (.*)$`)

// TestEncodings compares the encoder with what GNU as 2.40 makes of the comments.
func TestEncodings(t *testing.T) {
	c := &code{}
	sample(c)
	want, err := os.ReadFile("testdata/encodings.txt")
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	for _, m := range wordLine.FindAllSubmatch(c.Bytes(), -1) {
		got.WriteString(string(m[1]) + " " + string(m[2]) + "\n")
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("encodings differ from testdata/encodings.txt:\n%s", got.Bytes())
	}
}

// TestWordsAgainstAssembler compares every word of the generated file with what
// the assembler makes of its comment.
func TestWordsAgainstAssembler(t *testing.T) {
	const as = "aarch64-linux-gnu-as"
	if _, err := exec.LookPath(as); err != nil {
		why := as + " is not installed (Debian: binutils-aarch64-linux-gnu)"
		if slices.Contains(strings.Split(os.Getenv("RFF_TEST_REQUIRE"), ","), "assembler") {
			t.Fatal("RFF_TEST_REQUIRE names assembler: " + why)
		}
		t.Skip(why)
	}
	text, err := write(filepath.Join("..", "..", "cos.go"))
	if err != nil {
		t.Fatal(err)
	}
	s := &code{}
	sample(s)
	text = append(text, s.Bytes()...)
	words := wordLine.FindAllSubmatch(text, -1)
	var src strings.Builder
	for _, m := range words {
		src.WriteString(string(m[2]) + "\n")
	}
	obj := filepath.Join(t.TempDir(), "words.o")
	cmd := exec.Command(as, "-march=armv8.2-a+dotprod", "-o", obj, "-")
	cmd.Stdin = strings.NewReader(src.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	dump, err := exec.Command("aarch64-linux-gnu-objdump", "-d", obj).Output()
	if err != nil {
		t.Fatal(err)
	}
	got := regexp.MustCompile(`(?m)^\s+[0-9a-f]+:\s+([0-9a-f]{8})\s`).FindAllSubmatch(dump, -1)
	if len(got) != len(words) {
		t.Fatalf("%d words assembled, want %d", len(got), len(words))
	}
	for i, m := range words {
		if !bytes.Equal(m[1], got[i][1]) {
			t.Errorf("%s is %s, we wrote %s", m[2], got[i][1], m[1])
		}
	}
}
