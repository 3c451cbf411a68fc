package main

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/rffgo/rff/krr"
)

// Parts on a plan that weighs classes make the model of a fit of all rows that weighs them:
// each part has other shares of the classes, and one of them a single class.
func TestGramClassWeight(t *testing.T) {
	t.Chdir(t.TempDir())
	all := rare(600, 1.5, 1)
	lines := bytes.SplitAfter(all, []byte("\n"))
	parts := [2][]byte{bytes.Clone(lines[0]), bytes.Clone(lines[0])}
	for i, line := range lines[1:] {
		k := 0
		if i%3 == 0 && bytes.HasSuffix(line, []byte("no\n")) {
			k = 1
		}
		parts[k] = append(parts[k], line...)
	}
	save(t, ".", "all.csv", all)
	save(t, ".", "0.csv", parts[0])
	save(t, ".", "1.csv", parts[1])
	const of = " --features 32 --label kind "
	ok(t, "fit --data 0.csv,1.csv --lambda 1e-3 --class-weight balanced --model whole"+of)
	ok(t, "gram --plan --data 0.csv,1.csv --class-weight balanced --output plan"+of)
	for _, k := range []string{"0", "1"} {
		ok(t, "gram --like plan --label kind --data "+k+".csv --output g"+k)
	}
	ok(t, "merge --output g g0 g1")
	ok(t, "solve --gram g --lambda 1e-3 --model sums")
	scores := func(model string) (out []float64) {
		lines := strings.Split(strings.TrimSpace(ok(t, "predict --data all.csv --scores --model "+model).out), "\n")
		for _, line := range lines[1:] {
			out = append(out, parse(t, line[strings.IndexByte(line, ',')+1:]))
		}
		return out
	}
	a, b := scores("whole"), scores("sums")
	for i, v := range a {
		if math.Abs(v-b[i]) > 1e-9 { // sums in another order; λ is 1e-3
			t.Fatalf("row %d: %v of the fit, %v of the sums", i, v, b[i])
		}
	}
	// Without the weights the scores are others, and such sums are not added to these.
	ok(t, "gram --data 0.csv,1.csv --output plain"+of)
	ok(t, "solve --gram plain --lambda 1e-3 --model unweighted")
	if c := scores("unweighted"); math.Abs(c[0]-a[0]) < 0.1 {
		t.Errorf("weights change nothing: %v, %v", c[0], a[0])
	}
	if m, err := krr.Load("sums"); err != nil || len(m.Info().Schema.Target.Weights) != 2 || math.Abs(m.Info().Schema.Target.Weights[0]/(600./1080)-1) > 1e-12 {
		t.Errorf("weights of the model: %v %v", m.Info().Schema.Target, err)
	}
	refused(t, "merge --output x g0 plain", "weights of classes")
	refused(t, "gram --like plan --label kind --data 0.csv --class-weight balanced --output x", "--class-weight", "--like")
	refused(t, "gram --like plan --label kind --data 0.csv --classes no,yes,perhaps --output x", "--classes", "weighs")
	refused(t, "gram --data 1.csv --classes no,yes --class-weight balanced --output x"+of, "--class-weight", `"yes"`, "--plan")
	save(t, ".", "odd.csv", []byte(strings.Replace(string(parts[0]), ",yes", ",perhaps", 1)))
	refused(t, "gram --like plan --label kind --data odd.csv --output x", "perhaps", `"no", "yes"`)
}

// A part without the weights of its plan would count every row as 1, and the sums of the two do
// not say so: all parts have weights, or none.
func TestGramWeightsOfAllParts(t *testing.T) {
	t.Chdir(t.TempDir())
	var b bytes.Buffer
	b.WriteString("a,w,y\n")
	for i := range 40 {
		fmt.Fprintf(&b, "%d,%d,%d\n", i, 1+i%3, i*i)
	}
	save(t, ".", "d.csv", b.Bytes())
	ok(t, "look --data d.csv --label y --weights w --output look")
	const of = " --scale none --sigma 9 --features 8"
	ok(t, "gram --plan --data d.csv --label y --weights w --output plan"+of)
	ok(t, "gram --plan --looks look --output looked"+of)
	for _, plan := range []string{"plan", "looked"} {
		ok(t, "gram --like "+plan+" --data d.csv --label y --weights w --output "+plan+".1")
		refused(t, "gram --like "+plan+" --data d.csv --label y --inputs a --output x", "--like", plan, "give --weights")
	}
	ok(t, "gram --plan --data d.csv --label y --inputs a --output plain"+of)
	ok(t, "gram --like plain --data d.csv --label y --inputs a --output plain.1")
	refused(t, "gram --like plain --data d.csv --label y --weights w --output x", "--weights", "plain", "make it with --weights")
	refused(t, "merge --output x plan.1 plain.1", "plain.1", "with weights and of rows without", "to none")
	ok(t, "merge --output all plan plan.1")
	refused(t, "gram --like all --data d.csv --label y --inputs a --output x", "give --weights") // also after a merge
	ok(t, "solve --gram all --lambda 1e-3 --model m")
}
