package main

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// numbered puts the row names of pandas, under an empty name, before a table.
func numbered(data []byte) []byte {
	var b bytes.Buffer
	for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		if i == 0 {
			fmt.Fprintf(&b, ",%s\n", line)
		} else {
			fmt.Fprintf(&b, "%d,%s\n", i-1, line)
		}
	}
	return b.Bytes()
}

// The number of a column is that of the file, also behind a column without a name.
func TestNumbersOfColumns(t *testing.T) {
	t.Chdir(t.TempDir())
	data := waves(200)
	save(t, ".", "d.csv", data)
	save(t, ".", "p.csv", numbered(data)) // "", a, b, c, y
	const how = " --features 32 --sigma 2 --scale none"
	ok(t, "fit --data d.csv --inputs a,c --label b --model want"+how)
	want := ok(t, "predict --model want --data d.csv").out
	for _, line := range []string{
		"--data p.csv --inputs 2,4 --label 3",
		"--data p.csv --inputs 2,c --label b",
		"--data d.csv --inputs 1,3 --label 2",
	} {
		ok(t, "fit --model m "+line+how)
		for _, from := range []string{"d.csv", "p.csv"} {
			if r := ok(t, "predict --model m --data "+from); r.out != want {
				t.Errorf("fit %s: other predictions of %s", line, from)
			}
		}
		ok(t, "gram --output g0 "+line+how)
		ok(t, "gram --output g1 --like g0 --label 3 --data p.csv --inputs 4,2") // the names decide
		ok(t, "gram --output g2 --like g0 --label 2 --data d.csv")
		if read(t, "g1") != read(t, "g2") {
			t.Errorf("gram %s: other sums of p.csv than of d.csv", line)
		}
	}
	// All columns: the one without a name is left out, and that is said.
	ok(t, "fit --data d.csv --model m"+how)
	r := ok(t, "fit --data p.csv --model m2"+how)
	if !strings.Contains(r.errors, "p.csv: column 1 has no name") {
		t.Errorf("a column is left out without a word: %q", r.errors)
	}
	if a, b := ok(t, "predict --model m --data p.csv").out, ok(t, "predict --model m2 --data d.csv").out; a != b {
		t.Error("other predictions with a column without a name")
	}
	// It can be asked for.
	ok(t, "fit --data p.csv --model m --inputs 1,a --label y"+how)
	ok(t, "predict --model m --data p.csv --score")
	refused(t, "predict --model m --data d.csv", `"1" is missing`)
	refused(t, "fit --data p.csv --model m --inputs 6", `--inputs: p.csv: no column "6"`, `it has "a"`)
	// By position, where only the file has names.
	bare := []byte(strings.SplitN(string(data), "\n", 2)[1])
	save(t, ".", "bare.csv", bare)
	ok(t, "fit --data bare.csv --model m"+how)
	if a, b := ok(t, "predict --model m --data p.csv --label y").out, ok(t, "predict --model m --data d.csv --label y").out; a != b {
		t.Error("other predictions by position with a column without a name")
	}
}

// What is said of the data: where they are read, and how integers are taken.
func TestRemarks(t *testing.T) {
	t.Chdir(t.TempDir())
	var b bytes.Buffer
	b.WriteString("caf\xe9,x,quality\n")
	rng := rand.New(rand.NewPCG(3, 3))
	for range 120 {
		fmt.Fprintf(&b, "%.3f,%.3f,%d\n", rng.Float64(), rng.Float64(), 3+rng.IntN(3))
	}
	save(t, ".", "l.csv", b.Bytes())
	const taken, latin = "quality has 3 integer values: taken as classes; --task regression for numbers", "taken as Latin-1"
	for _, line := range []string{
		"fit --features 16 --model m --data l.csv",
		"gram --features 16 --output g --data l.csv",
		"compare --features 16 --samplers rff --reps 1 --data l.csv",
	} {
		r := ok(t, line)
		if n := strings.Count(r.errors+r.out, taken); n != 1 {
			t.Errorf("rff %s: says %d times how integers are taken: %s", line, n, r.errors)
		}
		if n := strings.Count(r.errors, latin); n != 1 {
			t.Errorf("rff %s: says %d times how names are read: %s", line, n, r.errors)
		}
	}
	for _, line := range []string{"predict --model m --data l.csv", "gram --like g --output g2 --data l.csv"} {
		if r := ok(t, line); strings.Count(r.errors, latin) != 1 || strings.Contains(r.errors, "taken as classes") {
			t.Errorf("rff %s: %s", line, r.errors)
		}
	}
	if r := ok(t, "fit --features 16 --model m --task regression --data l.csv"); strings.Contains(r.errors, "integer") {
		t.Errorf("the task is given, and yet: %s", r.errors)
	}
}

// The row in a message is that of the file, and nothing is written.
func TestRowOfTheFile(t *testing.T) {
	t.Chdir(t.TempDir())
	lines := strings.SplitAfter(string(waves(4000)), "\n")
	save(t, ".", "good.csv", []byte(strings.Join(lines[:501], "")))
	lines[3000] = "1,1e308,1,1\n" // row 3000, below the names
	save(t, ".", "bad.csv", []byte(strings.Join(lines, "")))
	ok(t, "fit --data good.csv --features 16 --model m")
	ok(t, "gram --data good.csv --features 16 --output g")
	want := []string{"bad.csv: row 3000 (line 3001), column \"b\" is 1e+308"}
	for _, line := range []string{
		"predict --model m --output o --data bad.csv",
		"predict --model m --output o --data good.csv,bad.csv",
		"fit --model o --features 16 --data good.csv,bad.csv",
		"gram --output o --features 16 --data good.csv,bad.csv",
		"gram --output o --like g --data good.csv,bad.csv",
	} {
		refused(t, line, want...)
		if _, err := os.Stat("o"); err == nil {
			t.Errorf("rff %s: wrote its output", line)
		}
	}
	r := call(strings.Join(lines, ""), "predict", "--model", "m", "--data", "-")
	if r.status != exitFailure || !strings.Contains(r.errors, "standard input: row 3000") || strings.Contains(r.out, "NaN") || strings.Count(r.out, "\n") > 3000 {
		t.Errorf("status %d, %q", r.status, r.errors)
	}
	// Of rows drawn at random the number is not known, and none is said.
	for _, line := range []string{"fit --sigma cv --features 16 --data bad.csv --model o", "compare --samplers rff --features 16 --reps 1 --data bad.csv"} {
		f := call("", strings.Fields(line)...)
		if f.status != exitFailure || !strings.Contains(f.errors, "too far from the others") && !strings.Contains(f.errors, "row 3000") || strings.Contains(f.errors, "NaN") {
			t.Errorf("rff %s: status %d, %q", line, f.status, f.errors)
		}
	}
}

// What needs more memory than any machine has is refused before a row is read:
// behind the names of columns this file has nothing that could be.
func TestNoMemory(t *testing.T) {
	t.Chdir(t.TempDir())
	save(t, ".", "d.csv", []byte("a,b,y\n1,2,nothing,to,read\n"))
	const huge = " --features 1048576 --data d.csv "
	for _, c := range []struct {
		line string
		want []string
	}{
		{"fit --model m --probabilities" + huge, []string{"--features 1048576: the fit needs ", "GB"}},
		{"fit --model m --checkpoint c" + huge, []string{"--features 1048576: the fit needs ", "GB"}},
		{"gram --output m" + huge, []string{"--features 1048576: the fit needs ", "GB"}},
		{"fit --model m --solver cg --memory 4096TiB --data d.csv", []string{"--memory: ", "set less"}},
	} {
		r := call("", strings.Fields(c.line)...)
		for _, w := range c.want {
			if !strings.Contains(r.errors, w) {
				t.Errorf("rff %s: %q is not in %q", c.line, w, r.errors)
			}
		}
		if strings.Contains(r.errors, "d.csv") || strings.Contains(r.errors, "--solver cg") {
			t.Errorf("rff %s: %q", c.line, r.errors)
		}
	}
	// Few rows with more features than rows need little; many end the first look.
	save(t, ".", "few.csv", waves(30))
	ok(t, "fit --model m --features 50000 --data few.csv")
	var b bytes.Buffer
	b.WriteString("a,y\n")
	for i := range 1 << 18 {
		fmt.Fprintf(&b, "%d,.5\n", i%7)
	}
	b.WriteString("no number,1\n")
	save(t, ".", "many.csv", b.Bytes())
	refused(t, "fit --model m --features 1048576 --data many.csv", "--features 1048576: the fit needs ", "1048576×1048576 numbers", "or --solver cg")
}

// A part of one class, on the features of another part, with weights.
func TestWeightsOfOneClass(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(5, 5))
	var all [3]bytes.Buffer // u alone, v alone, all repeated
	for i := range all {
		all[i].WriteString([]string{"a,b,w,kind\n", "a,b,w,kind\n", "a,b,kind\n"}[i])
	}
	for i := range 200 {
		k := i % 2
		a, b, w := rng.NormFloat64()+float64(k), rng.NormFloat64(), rng.IntN(3)
		fmt.Fprintf(&all[k], "%.5f,%.5f,%d,%c\n", a, b, w, "uv"[k])
		for range w {
			fmt.Fprintf(&all[2], "%.5f,%.5f,%c\n", a, b, "uv"[k])
		}
	}
	for i, name := range []string{"u.csv", "v.csv", "all.csv"} {
		save(t, ".", name, all[i].Bytes())
	}
	const how = " --sigma 1 --scale none --features 32 "
	ok(t, "gram --data u.csv --weights w --output u"+how)
	ok(t, "gram --data v.csv --weights w --like u --output v")
	ok(t, "merge --output uv u v")
	ok(t, "solve --gram uv --lambda 1e-3 --model m")
	ok(t, "fit --data all.csv --lambda 1e-3 --model want"+how)
	scores := func(m string) (out []float64) {
		for i, line := range strings.Split(strings.TrimSpace(ok(t, "predict --scores --data all.csv --model "+m).out), "\n") {
			var v float64
			if i > 0 {
				if _, err := fmt.Sscanf(line[2:], "%g", &v); err != nil {
					t.Fatal(line, err)
				}
				out = append(out, v)
			}
		}
		return out
	}
	got, want := scores("m"), scores("want")
	for i := range want {
		if !(math.Abs(got[i]-want[i]) < 200*0x1p-50/1e-3) { // n·eps, magnified by 1/λ
			t.Fatalf("row %d: %v, want %v", i+1, got[i], want[i])
		}
	}
}

// --max-columns lifts the bound that its refusal names.
func TestMaxColumns(t *testing.T) {
	t.Chdir(t.TempDir())
	save(t, ".", "w.csv", []byte(strings.Repeat(strings.Repeat("0,", 20)+"1\n"+strings.Repeat("0,", 20)+"2\n", 3)))
	refused(t, "fit --data w.csv --model m --max-columns 20", "w.csv", "has 21 columns, the limit is 20 (--max-columns lifts it)")
	ok(t, "fit --data w.csv --model m --max-columns 21 --task regression --sigma 1 --features 4")
	save(t, ".", "s.svm", []byte(strings.Repeat("1 1:1\n0 1:2 70000:1\n", 3)))
	refused(t, "fit --data s.svm --model m", "(--max-columns lifts it)")
	r := call("0 70000:1\n", "predict", "--model", "m", "--data", "-", "--max-columns", "2000000")
	if r.status != exitUsage || !strings.Contains(r.errors, "from 1 to 1048576") {
		t.Errorf("status %d, %q", r.status, r.errors)
	}
}
