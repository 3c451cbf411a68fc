package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A row of weight 2 counts as two rows, one of weight 0 as none, in fit and in
// gram, also in a part that takes its features from another.
func TestWeights(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(8, 8))
	var weighted, repeated bytes.Buffer
	weighted.WriteString("a,w,b,y\n")
	repeated.WriteString("a,b,y\n")
	for i := range 300 {
		a, b, w := rng.NormFloat64(), rng.NormFloat64(), i%3
		y := math.Sin(2*a) + b
		fmt.Fprintf(&weighted, "%.5f,%d,%.5f,%.5f\n", a, w, b, y)
		for range w {
			fmt.Fprintf(&repeated, "%.5f,%.5f,%.5f\n", a, b, y)
		}
	}
	save(t, ".", "w.csv", weighted.Bytes())
	save(t, ".", "r.csv", repeated.Bytes())
	const how = " --scale none --sigma 1 --features 32 "
	ok(t, "fit --data w.csv --weights w --lambda 1e-3 --model fw"+how)
	ok(t, "fit --data r.csv --lambda 1e-3 --model fr"+how)
	ok(t, "gram --data w.csv --weights w --output gw"+how)
	ok(t, "gram --data r.csv --output gr"+how)
	r := ok(t, "gram --data w.csv --weights w --like gw --output gl")
	if strings.Contains(r.errors, `"w"`) {
		t.Errorf("the weights are said to be unused: %q", r.errors)
	}
	for _, g := range []string{"gw", "gr", "gl"} {
		ok(t, "solve --lambda 1e-3 --gram "+g+" --model "+g+".model")
	}
	predictions := func(model string) []float64 {
		rows, err := csv.NewReader(strings.NewReader(ok(t, "predict --data r.csv --model "+model).out)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		var out []float64
		for _, row := range rows[1:] {
			v, _ := strconv.ParseFloat(row[0], 64)
			out = append(out, v)
		}
		return out
	}
	want := predictions("fr")
	for _, m := range []string{"fw", "gw.model", "gr.model", "gl.model"} {
		for i, v := range predictions(m) {
			if !(math.Abs(v-want[i]) < 300*0x1p-50/1e-3) { // n·eps, magnified by 1/λ
				t.Fatalf("%s: row %d is %v, want %v", m, i+1, v, want[i])
			}
		}
	}
	refused(t, "fit --data w.csv --weights nosuch --model m", "--weights", `"nosuch"`)
	refused(t, "fit --data letter --weights w --model m", "--weights", "letter")
}

// A number names a column of the first file of --data. In the others, and in --test, the column of
// that name is meant, wherever it stands, or the one of that number in a file without names.
func TestNumberedColumns(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(7, 8))
	var lines, moved, bare bytes.Buffer
	lines.WriteString("a,w,y\n")
	moved.WriteString("w,y,a\n")
	for range 60 {
		a, w, y := rng.NormFloat64(), 1+rng.IntN(3), rng.NormFloat64()
		fmt.Fprintf(&lines, "%.3f,%d,%.3f\n", a, w, y)
		fmt.Fprintf(&moved, "%d,%.3f,%.3f\n", w, y, a)
		fmt.Fprintf(&bare, "%.3f,%d,%.3f\n", a, w, y)
	}
	for name, data := range map[string][]byte{"lines": lines.Bytes(), "moved": moved.Bytes(), "bare": bare.Bytes(),
		"other": bytes.Replace(lines.Bytes(), []byte(",w,"), []byte(",v,"), 1)} {
		save(t, ".", name, data)
	}
	// Sums and looks do not keep the names of weights, so that a number could be that of another column.
	ok(t, "gram --data lines --weights 2 --features 32 --output first")
	ok(t, "look --columns --data lines --weights 2 --output columns")
	save(t, ".", "wider", []byte("a,z,w,y\n"+strings.Repeat("1,2,3,4\n2,3,4,6\n", 30)))
	for _, command := range []string{"gram --like first", "look --like columns"} {
		refused(t, command+" --data wider --weights 2 --output o", "--weights 2 is the number of a column in this part", "give the name")
		if r := ok(t, command+" --data wider --weights w --output o"); strings.Contains(r.out, "1 inputs") {
			t.Errorf("a plural of one: %s", r.out)
		}
		ok(t, command+" --data bare --weights 2 --label 3 --output o")
	}
	const numbers = "fit --weights 2 --label 3 --features 32 --model m --data "
	test := regexp.MustCompile("(?m)^test .*$")
	want := test.FindString(ok(t, "fit --weights w --label y --features 32 --model m --data lines,lines --test lines").out)
	for _, data := range []string{"lines,lines --test lines", "lines,moved --test moved", "lines,bare --test bare"} {
		if got := test.FindString(ok(t, numbers+data).out); want == "" || got != want {
			t.Errorf("%s: %q, want %q", data, got, want)
		}
	}
	refused(t, numbers+"lines,other", "other", `"w"`)
	refused(t, numbers+"lines --test other", "--test", "other", `"w"`)
	save(t, ".", "labels", []byte("y\n"+strings.Repeat("1\n2\n", 30)))
	refused(t, "fit --data lines --labels labels --model m --test moved", "--test", "rff predict --labels")
}

// Ten copies of each of forty points, whose labels are drawn at random: by rows a
// held-out copy is known, by groups of copies or equal inputs nothing is.
func TestFolds(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(9, 9))
	var b bytes.Buffer
	b.WriteString("a,b,point,kind\n")
	for p := range 40 {
		x, y, k := 10*rng.Float64(), 10*rng.Float64(), "uv"[rng.IntN(2)]
		for range 10 {
			fmt.Fprintf(&b, "%.5f,%.5f,p%d,%c\n", x, y, p, k)
		}
	}
	save(t, ".", "d.csv", b.Bytes())
	share := func(args string) (v float64) {
		t.Helper()
		out := ok(t, "fit --data d.csv --scale none --sigma 0.3 --features 128 --model m "+args).out
		i := strings.Index(out, "accuracy ")
		if i < 0 {
			t.Fatalf("no accuracy in %s", out)
		}
		fmt.Sscanf(out[i:], "accuracy %g", &v)
		return v
	}
	if v := share("--inputs a,b --fold-rows 1"); v < 99 {
		t.Errorf("by rows %v %%", v)
	}
	for _, data := range []string{"d.csv", "d.csv,d.csv"} {
		want := fmt.Sprintf("repeats   %d rows have the inputs of an earlier row", 400*len(strings.Split(data, ","))-40)
		if out := ok(t, "fit --data "+data+" --inputs a,b --features 128 --model m").out; !strings.Contains(out, want) {
			t.Errorf("%s: not a word of %q:\n%s", data, want, out)
		}
	}
	// 40 fair coins: 50 % within 4 standard deviations of 8 %.
	for _, args := range []string{"--folds-by point", "--inputs a,b --folds-by point", "--inputs a,b --fold-rows 10", "--folds-by point --probabilities", "--inputs a,b", "--inputs a,b --probabilities"} {
		if v := share(args); v > 82 {
			t.Errorf("%s: %v %%", args, v)
		}
	}
}

// predict --score --weights, and fit --test, measure a row of weight 2 as two rows.
func TestWeightedMeasures(t *testing.T) {
	t.Chdir(t.TempDir())
	save(t, ".", "t.csv", rare(300, 2, 1))
	save(t, ".", "n.csv", slope(200, 0, 2))
	for name, label := range map[string]string{"t.csv": "kind", "n.csv": "y"} {
		var weighted, repeated strings.Builder
		for i, line := range strings.Split(strings.TrimSpace(read(t, name)), "\n") {
			if i == 0 {
				weighted.WriteString("w," + line + "\n")
				repeated.WriteString(line + "\n")
				continue
			}
			fmt.Fprintf(&weighted, "%d,%s\n", i%3, line)
			repeated.WriteString(strings.Repeat(line+"\n", i%3))
		}
		save(t, ".", "w.csv", []byte(weighted.String()))
		save(t, ".", "r.csv", []byte(repeated.String()))
		ok(t, "fit --data "+name+" --features 32 --model m")
		measures := func(text string) string { // the last ones
			all := regexp.MustCompile(`(?:accuracy|R²) .*?(?:: \d|, over)`).FindAllString(text, -1)
			return strings.TrimRight(all[len(all)-1], ":, overd0123456789")
		}
		said := ok(t, "predict --model m --score --output p.csv --weights w --data w.csv").errors
		if want := measures(ok(t, "predict --model m --score --output p.csv --data r.csv").errors); measures(said) != want || !strings.Contains(said, "by their weights") {
			t.Errorf("%q, of repeated rows %q", said, want)
		}
		tested := ok(t, "fit --data w.csv --features 32 --weights w --model m --test w.csv --label "+label).out
		said = ok(t, "predict --model m --score --output p.csv --weights w --data w.csv").errors
		if measures(tested) != measures(said) || !strings.Contains(tested, "by their weights") {
			t.Errorf("fit --test says %q, predict %q", tested, said)
		}
	}
	refused(t, "predict --model m --data w.csv --weights w", "--weights", "--score")
}

// Rows of weight 0 have no say, however far they are: models, plans and what is printed are those
// of the file without them, byte for byte. A label of theirs alone is no class, and no error where
// labels are compared with predictions.
func TestRowsOfWeightZero(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(4, 4))
	var with, without [2]strings.Builder // a regression and classes
	for i := range 210 {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		for k, y := range []string{fmt.Sprintf("%.5f", math.Sin(2*a)+b), "uvw"[i%3 : i%3+1]} {
			row := fmt.Sprintf("%.5f,%.5f,%s,%d,%s\n", a, b, []string{"Ulm", "Bonn"}[i%2], 1+i%2, y)
			with[k].WriteString(row)
			without[k].WriteString(row)
			if i%20 == 7 {
				fmt.Fprintf(&with[k], "%g,%g,%s,0,%s\n", 1e6*b, -1e6, []string{"Rome", "Ulm"}[i%2], []string{"1e6", "none"}[k])
			}
		}
	}
	const data = " --data d.csv --label y --weights w "
	for k, more := range []string{"--interval", "--probabilities"} {
		for _, lines := range [][]string{
			{"fit --model m --features 32 --json" + data + more},
			{"fit --model m --features 32 --sigma knn --scale standard --fold-rows 7" + data},
			{"fit --model m --features 16 --sampler ses --scale minmax" + data},
			{"describe" + data},
			{"look --columns --output m" + data},
			{"gram --plan --output m --features 16" + data, "gram --like m --output all" + data, "solve --gram all --model m"},
			{"fit --model m --features 16" + data, "predict --score --unseen zero --model m --output p" + data},
		} {
			var out [2]string
			for i, text := range []string{with[k].String(), without[k].String()} {
				save(t, ".", "d.csv", []byte("a,b,town,w,y\n"+text))
				for _, line := range lines {
					r := ok(t, line)
					said := r.out + r.errors
					for _, varies := range []string{`(?m)^seconds .*$`, `(?s)"seconds": \{.*?\}`, `.* wrote \d+ predictions.*`, `.*lie far outside.*\n`, `.*has not seen, which.*\n`} {
						said = regexp.MustCompile(varies).ReplaceAllString(said, "")
					}
					out[i] += said
				}
				if !strings.HasPrefix(lines[0], "describe") {
					out[i] += read(t, "m")
				}
			}
			if out[0] != out[1] {
				t.Errorf("%q:\n%.900s\nwithout the rows:\n%.900s", lines, out[0], out[1])
			}
		}
	}
	save(t, ".", "d.csv", []byte("a,w,y\n1,0,2\n2,0,3\n"))
	refused(t, "fit --model none"+data, "no rows of positive weight")
	refused(t, "gram --output none"+data, "weight 0", "--like")
	if r := ok(t, "look --output look"+data); strings.Contains(r.errors, "taken as") {
		t.Errorf("labels that do not count are taken as something: %s", r.errors)
	}
}

// A plan says that its precision has no weights, before every part does. Weights of 1 and 0 need
// none.
func TestPlanRefusesWeights(t *testing.T) {
	t.Chdir(t.TempDir())
	save(t, ".", "w.csv", []byte("a,w,y\n1,1,u\n2,2,v\n3,1,v\n4,1,v\n"))
	save(t, ".", "ones.csv", []byte("a,w,y\n1,1,u\n2,0,v\n3,1,v\n4,1,v\n"))
	const plan = "gram --plan --label y --output p --features 8 --precision "
	refused(t, plan+"int8 --data w.csv --weights w", "--precision int8", "f32", "--weights")
	refused(t, plan+"int12 --data w.csv --inputs a --class-weight balanced", "--precision int12", "--class-weight")
	ok(t, plan+"f32 --data w.csv --weights w")
	ok(t, plan+"int8 --data ones.csv --weights w")
	ok(t, "gram --like p --output g --data ones.csv --weights w")
}
