package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	_ "github.com/rffgo/rff/internal/golden" // for its flag -update
)

// refusals are command lines that must be refused, or done with a note, and with
// one line that says why and what to do. What they say is in
// testdata/refusals.txt; go test -run Refusals -update writes it anew.
var refusals = []string{
	"fit --model m",
	"fit --data d.csv",
	"fit --data nosuch.csv --model m",
	"fit --data d.csv --model d.csv",
	"fit --data d.csv --model m --checkpoint m",
	"fit --data d.csv --model m --label y --labels l.csv",
	"fit --data d.csv,d2.csv --labels l.csv --model m",
	"fit --data d.csv --labels l.csv --model m --missing drop",
	"fit --data d.csv --model m --label nosuch",
	"fit --data d.csv --model m --inputs a,nosuch",
	"fit --data d.csv --model m --categories b,nosuch",
	"fit --data d.csv --model m --inputs a,b --keep nosuch",
	"fit --data d.csv --model m --interval --interval-by nosuch",
	"fit --data d.csv --model m --na 5,none",
	"fit --data d.csv --model m --interval 90%",
	"fit --data d.csv --model m --sigma wide",
	"fit --data d.csv --model m --inputs a,a",
	"fit --data d.csv --model m --inputs a,,b",
	"fit --data d.csv --model m --inputs a,y --label y",
	"fit --data twice.csv --model m --inputs a,b",
	"fit --data d.csv --model m --width 3",
	"fit --data s.svm --model m --header yes",
	"fit --data s.svm --model m --label 1",
	"fit --data d.csv --model m --format csv --width 3",
	"fit --data d.csv --model m --data-dir .",
	"fit --data letter --model m --label lettr",
	"fit --data letter --model m --data-dir .",
	"fit --data letter --model m --task regression",
	"fit --data - --model m",
	"fit --data d.csv --model m --lambda 1 --lambda 2",
	"fit --data d.csv --model m --sampler rff --sampler orf",
	"fit --data d.csv --model m --auto --sigma 2",
	"fit --data d.csv --model m --auto --solver cg",
	"fit --data d.csv --model m --auto --scale none",
	"fit --data d.csv --model m --auto --sampler arccos",
	"fit --data d.csv --model m --budget 5s",
	"fit --data d.csv --model m --html -",
	"fit --data d.csv --model m --html m",
	"fit --data d.csv --model m --html d.csv",
	"fit --data d.csv --model m --auto --budget -5s",
	"fit --data d.csv --model m --auto --budget 5",
	"fit --data d.csv --model m --sampler arccos --kernel laplacian",
	"fit --data d.csv --model m --sampler linear --sigma cv",
	"fit --data d.csv --model m --kernel gaussian:sigma=2 --sigma median",
	"fit --data d.csv --model m --memory 1GiB",
	"fit --data d.csv --model m --solver cg --variance",
	"predict --model good --data d.csv --interval 90%",
	"predict --model good --data d.csv --interval 90",
	"fit --data d.csv --model m --lambda 1e-3 --fold-rows 7",
	"fit --data d.csv --model m --folds-by a --fold-rows 7",
	"fit --data d.csv --model m --criterion aic",
	"fit --data d.csv --model m --loss hard:0.5",
	"fit --data d.csv --model m --loss hinge",
	"fit --data d.csv --model m --loss huber",
	"fit --data d.csv --model m --loss hard:3 --checkpoint c",
	"fit --data d.csv --model m --loss logistic",
	"fit --data d.csv --model m --loss poisson --variance",
	"fit --data d.csv --model m --loss poisson --solver cholesky",
	"fit --data d.csv --model m --criterion gcv --lambda 1e-3",
	"fit --data d.csv --model m --criterion gcv --solver cg",
	"fit --data d.csv --model m --criterion loo --fold-rows 7",
	"fit --data d.csv --model m --criterion loo --auto",
	"fit --data d.csv --model m --every 5s",
	"fit --data d.csv --model m --resume",
	"fit --data d.csv --model m --probabilities",
	"fit --data d.csv --model m --precision f16",
	"fit --data d.csv --model m --features 3",
	"fit --data d.csv --model m --max-columns 3",
	"fit --data d.csv --model m --weights a --label a",
	"fit --data d.csv --model m --weights a --folds-by a",
	"fit --data one.csv --model m",
	"predict --data d.csv",
	"predict --model good --data less.csv",
	"predict --model good --data less.csv,d.csv",
	"predict --model good --data twice.csv",
	"predict --model good --data bare.csv",
	"predict --model good --data d.csv --inputs a,c",
	"predict --model good --data d.csv --label a",
	"predict --model good --data nolabel.csv --score",
	"predict --model good --data d.csv --task regression",
	"predict --model good --data d.csv --output good",
	"predict --model good --data d.csv --output d.csv",
	"predict --model good --data d.csv --scores",
	"predict --model good --data d.csv --raw-labels",
	"predict --model good --data d.csv --probabilities",
	"predict --model - --data -",
	"predict --model good --data -,d.csv",
	"predict --model d.csv --data d.csv",
	"predict --model good --data s.svm",
	"gram --data d.csv",
	"gram --data - --output g",
	"gram --data d.csv --like part --features 32 --output g",
	"gram --data d.csv --like part --precision f32 --output g",
	"gram --data d.csv --like part --output part",
	"gram --data less.csv --like part --output g",
	"gram --data d.csv --like part --classes a,b --output g",
	"gram --data d.csv --like good --output g",
	"gram --data c.csv --classes u --output g",
	"gram --data u.csv --sigma cv --output g",
	"gram --data c.csv --classes u,w --output g",
	"gram --data c.csv --classes u,v --task regression --output g",
	"merge --output g",
	"merge --output g part part",
	"merge --output g part copy",
	"merge --output part part copy",
	"merge --output g part cpart",
	"gram --data d.csv --output h --plan --like part",
	"export",
	"export good",
	"export good --onnx good",
	"export d.csv --onnx m.onnx",
	"export part --onnx m.onnx",
	"export good --onnx m.onnx --precision f16",
	"export good --onnx nosuch/m.onnx",
	"export good other --onnx m.onnx",
	"solve --gram part",
	"solve --gram part --model part",
	"solve --gram good --model m",
	"solve --gram upart --model m",
	"compare --data d.csv --samplers arccos --kernel laplacian",
	"compare --data d.csv --samplers rff --lambda 1 --folds 3",
	"compare --data -",
	"look --columns --data d.csv --width 9 --output l",
	"look --columns --data s.svm --header yes --output l",
	"look --columns --data s.svm --missing mean --output l",
	// Done, with a note.
	"predict --model good --data more.csv --output /dev/null",
	"predict --model good --data bare3.csv --output /dev/null",
	"fit --data c3.csv --features 16 --model m",
	"gram --data u.csv --features 16 --output g",
}

func TestRefusals(t *testing.T) {
	t.Chdir(t.TempDir())
	here := waves(80)
	save(t, ".", "d.csv", here)
	save(t, ".", "d2.csv", here)
	save(t, ".", "l.csv", rearrange(t, here, "", "y"))
	save(t, ".", "less.csv", rearrange(t, here, "", "c", "y"))
	save(t, ".", "more.csv", rearrange(t, here, "x", "name", "c", "a", "b"))
	save(t, ".", "nolabel.csv", rearrange(t, here, "", "a", "b", "c"))
	save(t, ".", "twice.csv", rearrange(t, here, "", "a", "a", "b", "c", "y"))
	headless := func(columns ...string) []byte {
		return []byte(strings.SplitN(string(rearrange(t, here, "1", columns...)), "\n", 2)[1])
	}
	save(t, ".", "bare.csv", headless("a", "b", "c", "y"))
	save(t, ".", "bare3.csv", headless("a", "b", "c"))
	save(t, ".", "s.svm", []byte(strings.Repeat("1 1:2 5:1\n0 2:1\n", 20)))
	save(t, ".", "one.csv", []byte("a,kind\n"+strings.Repeat("1,u\n2,u\n", 20)))
	save(t, ".", "u.csv", []byte("a,b,kind\n"+strings.Repeat("1,2,u\n2,5,u\n3,1,u\n", 9)))
	save(t, ".", "c.csv", []byte("a,kind\n"+strings.Repeat("1,u\n2,v\n3,u\n", 20)))
	save(t, ".", "c3.csv", []byte("a,kind\n"+strings.Repeat("1,1\n2,2\n3,3\n", 20)))
	ok(t, "fit --data d.csv --features 16 --model good")
	ok(t, "gram --data d.csv --features 16 --output part")
	ok(t, "gram --data c.csv --features 16 --output cpart")
	ok(t, "gram --data u.csv --features 16 --output upart")
	save(t, ".", "copy", []byte(read(t, "part")))
	var b strings.Builder
	for _, line := range refusals {
		r := call("", strings.Fields(line)...)
		text := strings.TrimSpace(r.errors)
		if text == "" || strings.Contains(text, "goroutine ") {
			t.Errorf("rff %s: status %d, says %q", line, r.status, r.errors)
		}
		text = digests.ReplaceAllString(text, "DIGEST")
		fmt.Fprintf(&b, "rff %s\n\t%d  %s\n", line, r.status, strings.ReplaceAll(text, "\n", " | "))
	}
	const name = "refusals.txt"
	path := wdOf + "/testdata/" + name
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.MkdirAll(wdOf+"/testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, got := strings.Split(read(t, path), "\n"), strings.Split(b.String(), "\n")
	for i := range max(len(want), len(got)) {
		if i >= len(want) || i >= len(got) || want[i] != got[i] {
			at := func(s []string) string {
				if i < len(s) {
					return s[i]
				}
				return "nothing"
			}
			t.Fatalf("line %d of %s is %q, want %q: if that is meant, go test -run Refusals -update", i+1, name, at(got), at(want))
		}
	}
}

// digests of sums and maps are tested elsewhere.
var digests = regexp.MustCompile(`\b[0-9a-f]{16}\b`)

// wdOf is the folder of the package, which tests leave.
var wdOf, _ = os.Getwd()
