package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/krr"
)

// call runs a command line in this process, in the folder that the test is in.
func call(stdin string, args ...string) outcome {
	var out, errs bytes.Buffer
	status := run(context.Background(), &stdio{in: strings.NewReader(stdin), out: &out, err: &errs}, args)
	return outcome{status, out.String(), errs.String()}
}

// ok fails the test unless the command line, split at spaces, succeeds.
func ok(t *testing.T, line string) outcome {
	t.Helper()
	return okIn(t, "", line)
}

func okIn(t *testing.T, stdin, line string) outcome {
	t.Helper()
	r := call(stdin, strings.Fields(line)...)
	if r.status != 0 {
		t.Fatalf("rff %s: status %d, %s", line, r.status, r.errors)
	}
	return r
}

// refused fails the test unless the command line is refused with these words.
func refused(t *testing.T, line string, want ...string) {
	t.Helper()
	r := call("", strings.Fields(line)...)
	if r.status == 0 || r.out != "" {
		t.Errorf("rff %s: status %d, output %.60q", line, r.status, r.out)
	}
	for _, w := range want {
		if !strings.Contains(r.errors, w) {
			t.Errorf("rff %s: %q is not in %q", line, w, r.errors)
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// rearrange returns a CSV file with these columns of another, and what fill says
// for those that it does not have.
func rearrange(t *testing.T, data []byte, fill string, names ...string) []byte {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write(names)
	for _, row := range rows[1:] {
		var out []string
		for _, n := range names {
			v := fill
			if i := slices.Index(rows[0], n); i >= 0 {
				v = row[i]
			}
			out = append(out, v)
		}
		w.Write(out)
	}
	w.Flush()
	return b.Bytes()
}

// waves is a regression: y is a smooth function of a, b and c with noise.
func waves(n int) []byte {
	rng := rand.New(rand.NewPCG(11, uint64(n)))
	var b bytes.Buffer
	b.WriteString("a,b,c,y\n")
	for range n {
		x := [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		fmt.Fprintf(&b, "%.4f,%.4f,%.4f,%.4f\n", x[0], x[1], x[2], 10+3*math.Sin(2*x[0])+x[1]*x[2]+0.2*rng.NormFloat64())
	}
	return b.Bytes()
}

func TestColumnsByName(t *testing.T) {
	t.Chdir(t.TempDir())
	data := waves(300)
	save(t, ".", "all.csv", data)
	save(t, ".", "turned.csv", rearrange(t, data, "", "c", "y", "a", "b"))
	save(t, ".", "more.csv", rearrange(t, data, "no number", "id", "c", "a", "note", "b"))
	save(t, ".", "less.csv", rearrange(t, data, "", "c", "y"))
	save(t, ".", "twice.csv", rearrange(t, data, "", "a", "b", "c", "a"))
	save(t, ".", "twicemore.csv", rearrange(t, data, "1", "a", "b", "c", "z", "z"))
	bare := func(columns ...string) []byte {
		_, rest, _ := bytes.Cut(rearrange(t, data, "1", columns...), []byte("\n"))
		return rest
	}
	save(t, ".", "bare.csv", bare("a", "b", "c"))
	save(t, ".", "barelabel.csv", bare("a", "b", "c", "y"))
	save(t, ".", "barewide.csv", bare("z", "a", "b", "c", "y"))

	// An input that shares its name with any column is refused where the model is made, and columns
	// that share theirs are no matter where no input is among them.
	for _, args := range []string{"", "--label 1", "--label b", "--label b --inputs a,c", "--label 4 --inputs 1,2", "--label b --inputs 1"} {
		for _, command := range []string{"fit --model n", "look --columns --output n"} {
			refused(t, command+" --data twice.csv "+args, "twice.csv", `two columns are called "a"`, "rename one", "--inputs")
		}
	}
	ok(t, "fit --data twice.csv --label 4 --inputs b,c --features 64 --model n")
	ok(t, "predict --data twice.csv --model n")
	refused(t, "predict --data twice.csv --model n --score", `two columns are called "a"`, "give the number")
	ok(t, "predict --data twice.csv --model n --score --label 4")

	ok(t, "fit --data all.csv --features 64 --model m")
	refused(t, "predict --data twice.csv --model m", `two columns are called "a", as an input of the fit is: rename one`)
	want := ok(t, "predict --model m --data all.csv").out
	for _, c := range []struct{ args, note string }{
		{"--data turned.csv", `"y"`},
		{"--data more.csv", `more.csv: 2 of the 5 columns are not used: "id", "note"`},
		{"--data twicemore.csv", `"z", "z"`},
		{"--data turned.csv --score", "R² "},
		{"--data turned.csv --inputs b,a,c", ""}, // names are names, whatever their order
		{"--data bare.csv", "no header"},
		{"--data barelabel.csv --score", "R² "},
		{"--data barewide.csv --inputs 2,3,4", "no header"},
		{"--data turned.csv --label y", "RMSE"},
	} {
		r := ok(t, "predict --model m "+c.args)
		if r.out != want || !strings.Contains(r.errors, c.note) {
			t.Errorf("predict %s: the predictions are those of all.csv: %v; %q", c.args, r.out == want, r.errors)
		}
	}
	refused(t, "predict --model m --data less.csv", "less.csv", `"a", "b" are missing`)
	refused(t, "predict --model m --data twice.csv", "twice.csv", "two columns", `"a"`)
	refused(t, "predict --model m --data more.csv --score", `"y"`, "--label")
	refused(t, "predict --model m --data barelabel.csv", "4 columns", "3 inputs", "--label")
	refused(t, "predict --model m --data barewide.csv", "5 columns", "--inputs")
	refused(t, "predict --model m --data all.csv --inputs a,b", "--inputs", `"c"`)
	refused(t, "predict --model m --data all.csv --label a", "--label", `"a"`, "input")
	if r := ok(t, "predict --model m --data more.csv --inputs 2,3,5"); r.out != want {
		t.Error("--inputs by number of columns that are the model's: not by name")
	}

	// A model that was fitted on some columns finds them in the file it knows.
	ok(t, "fit --data all.csv --inputs a,c --features 64 --model two")
	two := ok(t, "predict --model two --data all.csv --inputs a,c").out
	for _, args := range []string{"--data all.csv", "--data turned.csv --score", "--data less.csv --inputs c,a", "--data all.csv --inputs 3,1"} {
		if strings.Contains(args, "less") {
			refused(t, "predict --model two "+args, `"a"`)
			continue
		}
		if r := ok(t, "predict --model two "+args); r.out != two {
			t.Errorf("predict %s differs", args)
		}
	}
	ok(t, "fit --data barewide.csv --inputs 2,4 --features 64 --model bare2")
	if a, b := ok(t, "predict --model bare2 --data barewide.csv --inputs 2,4").out, ok(t, "predict --model bare2 --data barewide.csv").out; a != b {
		t.Error("columns of a file without a header are not those of the fit")
	}

	// Columns of other names stand for the model's if --inputs says so.
	save(t, ".", "other.csv", bytes.Replace(rearrange(t, data, "", "c", "a", "b"), []byte("c,a,b"), []byte("p,q,r"), 1))
	refused(t, "predict --model m --data other.csv", `"a", "b", "c" are missing`)
	if r := ok(t, "predict --model m --data other.csv --inputs q,r,p"); r.out != want || !strings.Contains(r.errors, "in this order") {
		t.Errorf("other names: %q", r.errors)
	}
}

// Files without names are matched by the number of their columns.
func TestColumnsByCount(t *testing.T) {
	t.Chdir(t.TempDir())
	npy := func(name string, n, d int) {
		head := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }", n, d)
		head += strings.Repeat(" ", 117-len(head)) + "\n"
		b := []byte("\x93NUMPY\x01\x00\x76\x00" + head)
		for i := range n * d {
			bits := math.Float64bits(math.Sin(float64(i)))
			for range 8 {
				b, bits = append(b, byte(bits)), bits>>8
			}
		}
		save(t, ".", name, b)
	}
	npy("four.npy", 60, 4)
	npy("three.npy", 60, 3)
	npy("five.npy", 60, 5)
	ok(t, "fit --data four.npy --features 16 --model m --task regression")
	ok(t, "predict --model m --data three.npy")
	ok(t, "predict --model m --data four.npy --score")
	ok(t, "predict --model m --data five.npy --inputs 1,2,3")
	refused(t, "predict --model m --data four.npy", "4 columns", "3 inputs", "--label")
	refused(t, "predict --model m --data five.npy --score", "5 columns", "--inputs")
	refused(t, "predict --model m --data three.npy --header yes", "--header", "npy")
	save(t, ".", "s.svm", []byte(strings.Repeat("1 1:2 3:1\n0 2:1\n0 1:1 2:3\n1 3:4\n", 20)))
	save(t, ".", "narrow.svm", []byte("0 1:2\n1 2:1\n"))
	save(t, ".", "wide.svm", []byte("1 1:2\n0 4:1\n"))
	ok(t, "fit --data s.svm --features 16 --model s --sigma 1")
	if r := ok(t, "predict --model s --data narrow.svm --score"); !strings.Contains(r.errors, "accuracy") {
		t.Errorf("%q", r.errors)
	}
	refused(t, "predict --model s --data wide.svm", "wide.svm", "row 2", "index above the width 3")
	refused(t, "predict --model s --data s.svm --width 4", "--width", "3 inputs")
}

func TestGramByName(t *testing.T) {
	t.Chdir(t.TempDir())
	data := waves(600)
	lines := strings.SplitAfter(string(data), "\n")
	save(t, ".", "all.csv", data)
	save(t, ".", "1.csv", []byte(strings.Join(lines[:301], "")))
	second := []byte(lines[0] + strings.Join(lines[301:], ""))
	save(t, ".", "2.csv", second)
	save(t, ".", "2t.csv", rearrange(t, second, "7", "y", "c", "id", "a", "b"))
	save(t, ".", "2l.csv", rearrange(t, second, "7", "y", "c", "a"))
	ok(t, "gram --data 1.csv --features 32 --output 1.gram")
	ok(t, "gram --data 2.csv --like 1.gram --output 2.gram")
	r := ok(t, "gram --data 2t.csv --like 1.gram --output 2t.gram")
	if !strings.Contains(r.errors, `"id"`) {
		t.Errorf("the column that is not used is not named: %q", r.errors)
	}
	if read(t, "2.gram") != read(t, "2t.gram") {
		t.Error("columns in another order give other sums")
	}
	refused(t, "gram --data 2l.csv --like 1.gram --output x.gram", `"b" is missing`)
	// From a pipe, the same.
	okIn(t, read(t, "2t.csv"), "gram --data - --like 1.gram --output 2p.gram")
	if read(t, "2.gram") != read(t, "2p.gram") {
		t.Error("standard input gives other sums")
	}
	refused(t, "gram --data - --output x.gram", "standard input", "--like")
	// Twice the same part, by name, by copy and within a merged file.
	save(t, ".", "copy.gram", []byte(read(t, "2.gram")))
	ok(t, "merge --output all.gram 1.gram 2.gram")
	refused(t, "merge --output x.gram 1.gram 1.gram", "one file")
	refused(t, "merge --output x.gram 1.gram 2.gram copy.gram", "copy.gram", "twice")
	refused(t, "merge --output x.gram all.gram 2.gram", "2.gram", "twice")
	refused(t, "merge --output 1.gram 1.gram 2.gram", "--output", "1.gram")
	// Out again: what is left are the sums of the first part.
	ok(t, "merge --output rest.gram all.gram --subtract 2.gram")
	sameSums(t, "rest.gram", "1.gram")
	refused(t, "merge --output x.gram 1.gram --subtract 2.gram", "2.gram", "subtract what was added")
	refused(t, "merge --output x.gram 1.gram --subtract 1.gram", "one file")
	refused(t, "merge --output 2.gram all.gram --subtract 2.gram", "--output", "2.gram")
	ok(t, "look --data 1.csv --output 1.look")
	refused(t, "merge --output x 1.look --subtract 2.gram", "--subtract", "1.look")
	refused(t, "solve --gram all.gram --model all.gram", "--model", "--gram")
	// The names reach the model.
	ok(t, "solve --gram all.gram --model m")
	m, err := krr.Load("m")
	if err != nil || !slices.Equal(m.Info().Schema.Names(), []string{"a", "b", "c"}) || m.Info().Schema.Target.Name != "y" {
		t.Errorf("names %q, target %q, %v", m.Info().Schema.Names(), m.Info().Schema.Target.Name, err)
	}
	names, _ := filepath.Glob("x.gram*")
	if names != nil {
		t.Errorf("left behind: %q", names)
	}
}

// Parts that are sorted by class, the model of them all, and classes by name.
func TestUnion(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(4, 4))
	const header = "x,z,kind\n"
	parts := map[string]string{}
	for i := range 600 {
		k := []string{"10", "9", "2"}[i%3]
		parts[k] += fmt.Sprintf("%.4f,%.4f,%s\n", rng.NormFloat64()+float64(3*(i%3)), rng.NormFloat64(), k)
	}
	save(t, ".", "all.csv", []byte(header+parts["10"]+parts["9"]+parts["2"]))
	for k, rows := range parts {
		save(t, ".", k+".csv", []byte(header+rows))
	}
	const scale = " --scale none --sigma 2 --features 32"
	ok(t, "fit --data all.csv --lambda 1e-3 --model whole"+scale)
	scores := func(model string) [][]string {
		rows, err := csv.NewReader(strings.NewReader(ok(t, "predict --model "+model+" --data all.csv --scores").out)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	want := scores("whole")
	check := func(what string) {
		t.Helper()
		got := scores("parts")
		if !slices.Equal(got[0], want[0]) {
			t.Fatalf("%s: header %q, want %q", what, got[0], want[0])
		}
		for i := range got[1:] {
			for j := range got[i+1][1:] {
				a, _ := strconv.ParseFloat(got[i+1][j+1], 64)
				b, _ := strconv.ParseFloat(want[i+1][j+1], 64)
				if !(math.Abs(a-b) < 600*0x1p-50/1e-3) { // n·eps, magnified by 1/λ
					t.Fatalf("%s: row %d: %v, want %v", what, i+1, got[i+1], want[i+1])
				}
			}
		}
	}
	r := ok(t, "gram --data 10.csv --output 1.gram"+scale)
	if !strings.Contains(r.errors, `class "10"`) {
		t.Errorf("a single class passes in silence: %q", r.errors)
	}
	r = ok(t, "gram --data 9.csv --like 1.gram --output 2.gram")
	if !strings.Contains(r.errors, `"9"`) {
		t.Errorf("a new class passes in silence: %q", r.errors)
	}
	ok(t, "gram --data 2.csv --like 1.gram --output 3.gram")
	refused(t, "solve --gram 1.gram --model parts", "every row is of class", "merge")
	ok(t, "merge --output all.gram 1.gram 2.gram 3.gram")
	ok(t, "solve --gram all.gram --lambda 1e-3 --model parts")
	check("union at merge")
	// A part that has but one of the classes leaves the others.
	ok(t, "merge --output two.gram 1.gram 3.gram")
	ok(t, "merge --output rest.gram all.gram --subtract 2.gram")
	ok(t, "gram --data 9.csv --like all.gram --output again.gram")
	ok(t, "merge --output all-9.gram two.gram again.gram")
	ok(t, "merge --output two-9.gram all-9.gram --subtract 2.gram")
	sameSums(t, "rest.gram", "two-9.gram")
	ok(t, "gram --data 10.csv --classes 2,9,10 --output 1.gram"+scale)
	refused(t, "solve --gram 1.gram --model x", `every row is of class "10"`, "merge")
	ok(t, "gram --data 9.csv --like 1.gram --output 2.gram")
	ok(t, "gram --data 2.csv --like 1.gram --classes 2,9,10 --output 3.gram")
	ok(t, "merge --output all.gram 1.gram 2.gram 3.gram")
	ok(t, "solve --gram all.gram --lambda 1e-3 --model parts")
	check("--classes")
	refused(t, "gram --data 2.csv --like 1.gram --classes 2,9 --output x", "--classes", `"10"`)
	refused(t, "gram --data 2.csv --classes 9,10 --output x"+scale, "2.csv", "row 1", `"2"`)
	refused(t, "gram --data 2.csv --classes 9,9 --output x"+scale, "--classes", "twice")
}

// Labels that look like the target of a regression add no classes to sums, unless they are named.
func TestNumbersAddNoClasses(t *testing.T) {
	t.Chdir(t.TempDir())
	part := func(name string, label func(i int) string) {
		text := "x,z,kind\n"
		for i := range 80 {
			text += fmt.Sprintf("%d,%d,%s\n", i%7, i%11, label(i))
		}
		save(t, ".", name+".csv", []byte(text))
	}
	part("words", func(i int) string { return []string{"a", "b"}[i%2] })
	part("few", func(i int) string { return fmt.Sprint(i % 5) })
	part("integers", func(i int) string { return fmt.Sprint(i % 40) })
	part("fractions", func(i int) string { return fmt.Sprint(float64(i%3) / 2) })
	for _, first := range []string{"words", "few"} {
		ok(t, "gram --features 32 --output "+first+".gram --data "+first+".csv")
		refused(t, "gram --output x --like "+first+".gram --data fractions.csv", `fractions.csv: row 2 (line 3): kind "0.5" is none of the classes`, "--classes")
		refused(t, "gram --output x --like "+first+".gram --data integers.csv", "integers.csv: row 33 (line 34): kind \"32\"", "--classes")
		ok(t, "gram --output x --like "+first+".gram --data few.csv")
	}
	ok(t, "gram --output x --like few.gram --data fractions.csv --classes 0,0.5,1,2,3,4")
	ok(t, "gram --output y --like x --data fractions.csv")
}

// Labels 7 and 007 of two parts are refused, as they are in one table: a part took one for the other.
func TestPartsWriteNumbersAlike(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, labels := range map[string][]string{"plain": {"7", "8", "9"}, "zeros": {"007", "008", "009"}, "signs": {"+7", "8.0", "9"}} {
		text := "x,kind\n"
		for i := range 60 {
			text += fmt.Sprintf("%d,%s\n", i%13, labels[i%3])
		}
		save(t, ".", name+".csv", []byte(text))
	}
	for first, others := range map[string]string{"plain": "zeros", "zeros": "plain"} {
		ok(t, "gram --features 8 --output "+first+".gram --data "+first+".csv")
		refused(t, "gram --output x --like "+first+".gram --data "+others+".csv", others+".csv: row 1 (line 2): kind", "in one way", "a letter before the digits")
		ok(t, "gram --output x --like "+first+".gram --data "+first+".csv")
	}
	ok(t, "gram --output x --like plain.gram --data signs.csv")

	// Two parts that each have a further class, and the words of one table or of two.
	for _, name := range []string{"5", "005", "6"} {
		save(t, ".", name+".csv", []byte("x,kind\n1,8\n2,"+name+"\n3,9\n4,"+name+"\n"))
		ok(t, "gram --output "+name+".gram --like plain.gram --data "+name+".csv")
		ok(t, "look --columns --inputs kind --label x --categories kind --output "+name+".look --data "+name+".csv")
	}
	refused(t, "merge --output x 5.gram 6.gram 005.gram", `"005"`, `"5"`, "in one way")
	ok(t, "merge --output x 005.gram 6.gram")
	const words = "fit --model m --features 8 --inputs kind --label x --task regression --categories kind --data "
	refused(t, words+"5.csv,005.csv", `"kind"`, "005", "5", "a letter before the digits")
	ok(t, words+"6.csv,005.csv")
	ok(t, "merge --output both.look 5.look 005.look")
	refused(t, "look --like both.look --output x --label x --data 5.csv", `"kind"`, "005", "a letter before the digits")
}

// What would be overwritten, by whatever name, is still there.
func TestDoesNotOverwrite(t *testing.T) {
	t.Chdir(t.TempDir())
	save(t, ".", "d.csv", waves(60))
	save(t, ".", "x.csv", rearrange(t, waves(60), "", "a", "b"))
	save(t, ".", "l.csv", rearrange(t, waves(60), "", "y"))
	ok(t, "fit --data d.csv --features 16 --model m")
	ok(t, "gram --data d.csv --features 16 --output g")
	if err := os.Symlink("d.csv", "link"); err != nil {
		t.Fatal(err)
	}
	if err := os.Link("m", "hard"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nothing", "dangling"); err != nil {
		t.Fatal(err)
	}
	before := map[string]string{}
	for _, n := range []string{"d.csv", "x.csv", "l.csv", "m", "g"} {
		before[n] = read(t, n)
	}
	for _, c := range []struct{ line, flag, other string }{
		{"fit --data d.csv --features 16 --model d.csv", "--model", "--data"},
		{"fit --data d.csv --features 16 --model ./d.csv", "--model", "--data"},
		{"fit --data d.csv --features 16 --model link", "--model", "--data"},
		{"fit --data link --features 16 --model d.csv", "--model", "--data"},
		{"fit --data x.csv --labels l.csv --features 16 --model l.csv", "--model", "--labels"},
		{"fit --data d.csv --features 16 --model n --checkpoint n", "--checkpoint", "--model"},
		{"fit --data d.csv --features 16 --model n --checkpoint ../" + filepath.Base(wd(t)) + "/n", "--checkpoint", "--model"},
		{"fit --data d.csv --features 16 --model nothing --checkpoint dangling", "--checkpoint", "--model"},
		{"predict --model m --data d.csv --output d.csv", "--output", "--data"},
		{"predict --model m --data d.csv --output hard", "--output", "--model"},
		{"gram --data d.csv --features 16 --output link", "--output", "--data"},
		{"gram --data d.csv --like g --output g", "--output", "--like"},
		{"solve --gram g --model ./g", "--model", "--gram"},
	} {
		r := call("", strings.Fields(c.line)...)
		if r.status != exitUsage || !strings.Contains(r.errors, c.flag) || !strings.Contains(r.errors, c.other) {
			t.Errorf("rff %s: status %d, %q", c.line, r.status, r.errors)
		}
	}
	for n, want := range before {
		if read(t, n) != want {
			t.Errorf("%s has changed", n)
		}
	}
	// A device is nothing to lose.
	ok(t, "predict --model m --data d.csv --output /dev/null")
}

func wd(t *testing.T) string {
	t.Helper()
	d, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// What integers are taken as is said, and what --task says is not questioned.
func TestSaysTask(t *testing.T) {
	t.Chdir(t.TempDir())
	var counts, many bytes.Buffer
	counts.WriteString("a,b,n\n")
	many.WriteString("a,b,n\n")
	for i := range 400 {
		x, y := math.Sin(float64(i)), math.Cos(float64(3*i))
		fmt.Fprintf(&counts, "%v,%v,%d\n", x, y, i%11)
		fmt.Fprintf(&many, "%v,%v,%d\n", x, y, i)
	}
	save(t, ".", "counts.csv", counts.Bytes())
	save(t, ".", "many.csv", many.Bytes())
	for _, line := range []string{
		"fit --features 16 --model m --data ",
		"gram --features 16 --output g --data ",
	} {
		if r := ok(t, line+"counts.csv"); !strings.Contains(r.errors, "11 integer values: taken as classes; --task regression") {
			t.Errorf("%s: %q", line, r.errors)
		}
		if r := ok(t, line+"counts.csv --task classification"); r.errors != "" {
			t.Errorf("%s --task classification: %q", line, r.errors)
		}
		if r := ok(t, line+"many.csv"); !strings.Contains(r.errors, "taken as numbers; --task classification") {
			t.Errorf("%s: %q", line, r.errors)
		}
	}
	save(t, ".", "moons.csv", moons(100, 2))
	if r := ok(t, "fit --features 16 --model m --data moons.csv"); r.errors != "" {
		t.Errorf("text labels: %q", r.errors)
	}
}

// fit and predict speak of accuracy, or R², RMSE and MAE.
func TestMeasures(t *testing.T) {
	t.Chdir(t.TempDir())
	save(t, ".", "d.csv", waves(800))
	save(t, ".", "new.csv", waves(300))
	save(t, ".", "moons.csv", moons(400, 2))
	numbers := func(text string) (r2, rmse, mae float64) {
		t.Helper()
		var spread float64
		i := strings.Index(text, "R² ")
		if i < 0 {
			t.Fatalf("no R² in %q", text)
		}
		if _, err := fmt.Sscanf(text[i:], `R² %g, RMSE %g (the mean alone: %g), MAE %g in the unit of "y"`, &r2, &rmse, &spread, &mae); err != nil {
			t.Fatalf("%v in %q", err, text)
		}
		return r2, rmse, mae
	}
	fit := ok(t, "fit --data d.csv --features 128 --model m")
	held, heldRMSE, heldMAE := numbers(fit.out)
	r := ok(t, "predict --data new.csv --model m --score")
	r2, rmse, mae := numbers(r.errors)
	rows, _ := csv.NewReader(strings.NewReader(r.out)).ReadAll()
	truth, _ := csv.NewReader(bytes.NewReader(waves(300))).ReadAll()
	var mean, ss, rss, abs float64
	for i := range 300 {
		y, _ := strconv.ParseFloat(truth[i+1][3], 64)
		f, _ := strconv.ParseFloat(rows[i+1][0], 64)
		mean, rss, abs = mean+y/300, rss+(y-f)*(y-f), abs+math.Abs(y-f)
	}
	for i := range 300 {
		y, _ := strconv.ParseFloat(truth[i+1][3], 64)
		ss += (y - mean) * (y - mean)
	}
	// Printed with four and five digits.
	if math.Abs(r2-(1-rss/ss)) > 1e-4 || math.Abs(rmse-math.Sqrt(rss/300)) > 1e-4*rmse || math.Abs(mae-abs/300) > 1e-4*mae {
		t.Errorf("R² %v, RMSE %v, MAE %v; by hand %v, %v, %v", r2, rmse, mae, 1-rss/ss, math.Sqrt(rss/300), abs/300)
	}
	// Held-out and new rows agree to the noise of 300 rows: within a fifth.
	if math.Abs(heldRMSE/rmse-1) > .2 || math.Abs(heldMAE/mae-1) > .2 || math.Abs(held-r2) > .05 {
		t.Errorf("held out %v, %v, %v; new rows %v, %v, %v", held, heldRMSE, heldMAE, r2, rmse, mae)
	}
	if out := ok(t, "fit --data d.csv --features 128 --model m --lambda 1e-3").out; !strings.Contains(out, "training  R²") || strings.Contains(out, "held out ") {
		t.Errorf("with λ given: %s", out)
	}
	numbers(ok(t, "fit --data d.csv --features 128 --model m --lambda 1e-3 --folds 4").out)
	for _, args := range []string{"", " --probabilities", " --lambda 1e-3 --folds 3"} {
		out := ok(t, "fit --data moons.csv --features 64 --model m"+args).out
		i := strings.Index(out, "held out  accuracy ")
		var share float64
		var n int
		if i < 0 {
			t.Fatalf("%s: %s", args, out)
		}
		fmt.Sscanf(out[i:], "held out  accuracy %g %%", &share)
		fmt.Sscanf(out[strings.LastIndex(out, "over "):], "over %d rows", &n)
		if share < 95 || share > 100 || n != 400 {
			t.Errorf("%s: %v %% of %d rows in %s", args, share, n, out)
		}
	}
	out := ok(t, "fit --data d.csv --auto --budget 400ms --html page.html --model m").out
	page, err := os.ReadFile("page.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"A fit to d.csv", "What --auto tried", "<svg viewBox", "search", "208", "<dt>stopped</dt>", "Residuals against predictions", "rff fit --auto --budget 400ms --data d.csv --html page.html --model m"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page of --html does not say %q", want)
		}
	}
	for _, want := range []string{"scaling   ", "tried     on 800 of 800 rows", "  search     208 tried,", "; best so far", "; chosen", "stopped   ", "error     ", "held out  R²", "features  ", "lambda    "} {
		if !strings.Contains(out, want) {
			t.Errorf("--auto does not say %q:\n%s", want, out)
		}
	}
	out = ok(t, "fit --data d.csv --auto --budget 0 --features 64 --model m").out
	for _, want := range []string{"scaling   ", "tried     on 800 of 800 rows", "  search     208 tried,", "inputs, ", "; chosen", "held out  R²", "64 by ", "kernel "} {
		if !strings.Contains(out, want) {
			t.Errorf("--auto does not say %q:\n%s", want, out)
		}
	}
	// The model says which sampler it was, not the one that --sampler has by default.
	gaussian := ok(t, "fit --data d.csv --auto --budget 0 --features 64 --kernel gaussian --model m").out
	if shown := ok(t, "show m").out; !strings.Contains(gaussian, "features  64 by orf") || !regexp.MustCompile(`(?m)^sampler +orf$`).MatchString(shown) {
		t.Errorf("features are not by orf:\n%s\n%s", gaussian, shown)
	}
	if strings.Contains(out, "metric") || strings.Contains(out, "landmarks") {
		t.Errorf("a search without a budget tried more than kernels and bandwidths:\n%s", out)
	}
}

// Every long stage is named on a terminal, and nothing elsewhere.
func TestStages(t *testing.T) {
	t.Chdir(t.TempDir())
	save(t, ".", "moons.csv", moons(9000, 3))
	var out, errs bytes.Buffer
	line := "fit --data moons.csv --auto --budget 1s --features 256 --model m --workers 1"
	if status := run(context.Background(), &stdio{out: &out, err: &errs, terminal: true}, strings.Fields(line)); status != 0 {
		t.Fatal(errs.String())
	}
	for _, want := range []string{"looking at the data", "choosing kernel and bandwidth: "} {
		if !strings.Contains(errs.String(), want) {
			t.Errorf("%q is not in %.2000q", want, errs.String())
		}
	}
	if !strings.HasSuffix(errs.String(), "\r") {
		t.Errorf("the line is still there: %q", errs.String()[max(0, errs.Len()-90):])
	}
	if r := ok(t, line); r.errors != "" {
		t.Errorf("%q", r.errors)
	}
}

func TestPipes(t *testing.T) {
	t.Chdir(t.TempDir())
	data := string(waves(700))
	save(t, ".", "d.csv", []byte(data))
	save(t, ".", "d.csv.gz", zipped([]byte(data)))
	ok(t, "fit --data d.csv --features 64 --model m")
	want := ok(t, "predict --model m --data d.csv").out
	if got := okIn(t, data, "predict --model m --data -").out; got != want {
		t.Error("rows from standard input")
	}
	if got := okIn(t, read(t, "d.csv.gz"), "predict --model m --data - --score"); got.out != want || !strings.Contains(got.errors, "R²") {
		t.Error("compressed rows from standard input")
	}
	if got := okIn(t, read(t, "m"), "predict --model - --data d.csv").out; got != want {
		t.Error("model from standard input")
	}
	r := ok(t, "fit --data d.csv --features 64 --model -")
	if r.out != read(t, "m") || !strings.Contains(r.errors, "held out") {
		t.Errorf("model to standard output: %d bytes, %q", len(r.out), r.errors)
	}
	r = ok(t, "gram --data d.csv --features 64 --output -")
	save(t, ".", "g", []byte(r.out))
	ok(t, "solve --gram g --model s")
	if r := ok(t, "solve --gram g --model -"); r.out != read(t, "s") || !strings.Contains(r.errors, "700 rows") {
		t.Errorf("solve to standard output: %q", r.errors)
	}
	refused(t, "predict --model - --data -", "standard input")
	refused(t, "fit --data - --model x", "standard input", "twice")
	refused(t, "compare --data -", "standard input")
	refused(t, "predict --model m --data -,d.csv", "standard input", "alone")
	if r := call("no model", "predict", "--model", "-", "--data", "d.csv"); r.status != exitFailure || !strings.Contains(r.errors, "standard input") {
		t.Errorf("%d, %q", r.status, r.errors)
	}
	if r := call("", "predict", "--model", "m", "--data", "-"); r.status != exitFailure || !strings.Contains(r.errors, "standard input") {
		t.Errorf("empty input: %d, %q", r.status, r.errors)
	}
	if r := call("", "predict", "--model", "/dev/zero", "--data", "d.csv"); r.status != exitFailure {
		t.Errorf("%d, %q", r.status, r.errors)
	}
	// A named pipe.
	mkfifo(t, "pipe")
	go os.WriteFile("pipe", []byte(data), 0)
	if got := ok(t, "predict --model m --data pipe").out; got != want {
		t.Error("rows from a named pipe")
	}
	refused(t, "fit --data pipe --model x", "pipe", "once")
}

func TestCommas(t *testing.T) {
	t.Chdir(t.TempDir())
	data := string(waves(200))
	save(t, ".", "one, two.csv", []byte(data))
	save(t, ".", "d.csv", []byte(strings.Replace(data, "a,b,c,y", `"a,b",b,c,y`, 1)))
	r := call("", "fit", "--data", "one, two.csv", "--features", "16", "--model", "m")
	if r.status != 0 {
		t.Fatal(r.errors)
	}
	for _, c := range []struct {
		inputs []string
		want   []string
	}{
		{[]string{"--inputs", `"a,b",c`}, []string{"a,b", "c"}},
		{[]string{"--inputs", "a,b"}, []string{"a,b"}},
		{[]string{"--inputs", "a,b", "--inputs", "c"}, []string{"a,b", "c"}},
		{[]string{"--inputs", "b, c"}, []string{"b", "c"}},
		{[]string{"--inputs", "1,3"}, []string{"a,b", "c"}},
		{nil, []string{"a,b", "b", "c"}},
	} {
		if r := call("", append([]string{"fit", "--data", "d.csv", "--features", "16", "--model", "n"}, c.inputs...)...); r.status != 0 {
			t.Errorf("%q: %s", c.inputs, r.errors)
			continue
		}
		m, err := krr.Load("n")
		if err != nil || !slices.Equal(m.Info().Schema.Names(), c.want) {
			t.Errorf("%q: inputs %q, want %q, %v", c.inputs, m.Info().Schema.Names(), c.want, err)
		}
		ok(t, "predict --model n --data d.csv --score --output /dev/null")
	}
	refused(t, `fit --data d.csv --model n --inputs "a`, "--inputs", "quoted")
	refused(t, `fit --data d.csv --model n --inputs b,b`, "--inputs", "twice")
}

// A label that a spreadsheet would run is written so that it does not, and so
// that the label can be told from it.
func TestLabelsAreNoFormulas(t *testing.T) {
	t.Chdir(t.TempDir())
	labels := []string{"=1+1", "'=1+1", "@x", "-1", "+2.5", "-a", "plain", "two\nlines", "esc\x1b[1m", "quo\"te", "'fine"}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write([]string{"x", "kind"})
	for i := range 40 * len(labels) {
		w.Write([]string{fmt.Sprint(10*(i%len(labels)) + i%2), labels[i%len(labels)]})
	}
	w.Flush()
	save(t, ".", "d.csv", b.Bytes())
	ok(t, "fit --data d.csv --features 64 --sigma 0.1 --model m")
	read := func(args string) ([]string, string) {
		r := ok(t, "predict --model m --data d.csv"+args)
		rows, err := csv.NewReader(strings.NewReader(r.out)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, row := range rows[1 : len(labels)+1] {
			out = append(out, row[0])
		}
		if !strings.Contains(r.out, "\"esc\x1b[1m\"") {
			t.Error("a control character is not quoted")
		}
		return out, r.errors
	}
	got, note := read("")
	want := []string{"'=1+1", "''=1+1", "'@x", "-1", "+2.5", "'-a", "plain", "two\nlines", "esc\x1b[1m", "quo\"te", "'fine"}
	if !slices.Equal(got, want) || !strings.Contains(note, `"=1+1"`) || !strings.Contains(note, "--raw-labels") {
		t.Errorf("labels %q, want %q; %q", got, want, note)
	}
	if got, note := read(" --raw-labels"); !slices.Equal(got, labels) || strings.Contains(note, "formula") {
		t.Errorf("raw labels %q; %q", got, note)
	}
}

// Both names of a precision are known to every command that takes one.
func TestPrecisionNames(t *testing.T) {
	t.Chdir(t.TempDir())
	save(t, ".", "d.csv", waves(100))
	for _, names := range [][2]string{{"f32", "float32"}, {"f64", "float64"}} {
		var files [2]string
		for i, p := range names {
			ok(t, "fit --data d.csv --features 16 --model m --precision "+p)
			ok(t, "gram --data d.csv --features 16 --output g --precision "+p)
			ok(t, "compare --data d.csv --features 16 --samplers rff --reps 1 --precision "+p)
			files[i] = read(t, "m") + read(t, "g")
		}
		if files[0] != files[1] {
			t.Errorf("%q are not one", names)
		}
	}
}

// sameSums compares the models of two files of sums. At λ = 10⁻³ the system has a condition
// below 10⁴, so rounding errors of 10⁻¹⁶ in the sums move coefficients by less than 10⁻¹⁰.
func sameSums(t *testing.T, names ...string) {
	t.Helper()
	var models []*krr.Model
	for _, name := range names {
		g, err := krr.LoadGram(name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := g.Solve(t.Context(), 1e-3)
		if err != nil {
			t.Fatal(err)
		}
		models = append(models, m)
	}
	a, _ := models[0].Coefficients()
	b, _ := models[1].Coefficients()
	if !mat.EqualApprox(a, b, 1e-10) {
		t.Errorf("%s and %s have other models", names[0], names[1])
	}
}
