package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// A plan of looks at parts is the plan of all rows, bit for bit: with words that some parts
// lack, dates, ids and gaps, for every scaling and bandwidth, and whatever order they merge in.
func TestPlanOfLooks(t *testing.T) {
	t.Chdir(t.TempDir())
	const header = "id,town,when,n,y\n"
	parts := make([]strings.Builder, 3)
	var all strings.Builder
	for i := range 1300 {
		row := fmt.Sprintf("%d,%s,%d/%d/2024,%s,%g\n", i, []string{"Rome", "Lima", "Oslo"}[i/500], i%28+1, i%12+1, []string{fmt.Sprint(i * i % 101), ""}[i/7%11/10], float64(i%37)+0.5)
		all.WriteString(row)
		parts[i/500].WriteString(row)
	}
	save(t, ".", "all.csv", []byte(header+all.String()))
	for k := range parts {
		save(t, ".", fmt.Sprint(k, ".csv"), []byte(header+parts[k].String()))
		ok(t, fmt.Sprintf("look --columns --data %d.csv --label y --missing mean --output %d.columns", k, k))
	}
	ok(t, "merge --output 12.columns 1.columns 2.columns")
	ok(t, "merge --output all.columns 12.columns 0.columns")
	for k := range parts {
		ok(t, fmt.Sprintf("look --like all.columns --data %d.csv --output %d.look", k, k))
	}
	ok(t, "merge --output 20.look 2.look 0.look")
	for _, flags := range []string{"", "--scale standard --sigma knn", "--scale minmax --sigma cv --sampler orf", "--scale none --precision f32 --sigma 3"} {
		flags = " --features 24 --seed 3 " + flags
		whole := ok(t, "gram --plan --data all.csv --label y --missing mean --output whole"+flags)
		looks := ok(t, "gram --plan --looks 20.look,1.look --output looks"+flags)
		a, b := read(t, "whole"), read(t, "looks")
		if a != b {
			t.Errorf("%q: the plans differ", flags)
		}
		for _, note := range []string{"left out", "the day is taken to come first", `"town" has words`} {
			if !strings.Contains(whole.errors, note) || !strings.Contains(looks.errors, note) {
				t.Errorf("no note %q in\n%s\nor\n%s", note, whole.errors, looks.errors)
			}
		}
	}
	if r := ok(t, "gram --plan --looks 20.look,1.look --features 24 --sampler leverage --output leverage"); strings.Contains(r.errors, "shows it all") {
		t.Error("the sample has all rows, and the note says that it does not")
	}

	refused(t, "merge --output no 20.look 0.look", "comes twice")
	refused(t, "merge --output no 1.look 1.columns", "look at columns", "--like")
	refused(t, "gram --plan --looks all.columns --output no", "--looks", "rows of each part")
	refused(t, "gram --plan --looks 20.look,1.look --class-weight balanced --output no", "--class-weight", "a regression")
	refused(t, "look --like 1.look --data 1.csv --output no", "--like", "--columns")
	ok(t, "look --data 0.csv --label y --missing mean --output 0.alone")
	refused(t, "merge --output no 0.alone 1.look", "list of words", "--like")
	ok(t, "gram --like looks --data 1.csv --label y --output 1.gram")
}

// Looks count what classes are weighed by.
func TestClassWeightOfLooks(t *testing.T) {
	t.Chdir(t.TempDir())
	var parts [2]strings.Builder
	for i := range 700 {
		fmt.Fprintf(&parts[i%2], "%d,%s\n", i*i%101, []string{"rare", "often", "often", "often"}[i%4])
	}
	save(t, ".", "all.csv", []byte("a,y\n"+parts[0].String()+parts[1].String()))
	for k := range parts {
		save(t, ".", fmt.Sprint(k, ".csv"), []byte("a,y\n"+parts[k].String()))
		ok(t, fmt.Sprintf("look --data %d.csv --label y --output %[1]d.look", k))
	}
	for _, sampler := range []string{"rff", "leverage"} {
		flags := " --features 16 --class-weight balanced --sampler " + sampler
		ok(t, "gram --plan --data all.csv --label y --output whole"+flags)
		ok(t, "gram --plan --looks 1.look,0.look --output looks"+flags)
		if read(t, "whole") != read(t, "looks") {
			t.Errorf("%s: the plans differ", sampler)
		}
		if text := ok(t, "show looks").out; !strings.Contains(text, "often (weight 0.6667), rare (weight 2)") {
			t.Errorf("show: %s", text)
		}
	}
	save(t, ".", "weighted.csv", []byte("a,w,y\n1,2,u\n2,1,v\n3,1,u\n4,1,v\n"))
	ok(t, "look --data weighted.csv --label y --weights w --output weighted.look")
	refused(t, "gram --plan --looks weighted.look --features 4 --class-weight balanced --output no", "--class-weight", "--data")
}

// A column that has numbers in one part and words in another is refused, with what helps.
func TestLooksDisagree(t *testing.T) {
	t.Chdir(t.TempDir())
	save(t, ".", "1.csv", []byte("a,b,y\n"+strings.Repeat("1,2,3\n4,5,6.5\n", 10)))
	save(t, ".", "2.csv", []byte("a,b,y\n"+strings.Repeat("u,2,3\nv,5,6.5\n", 20)))
	for k := range 2 {
		ok(t, fmt.Sprintf("look --columns --data %d.csv --label y --output %[1]d.columns", k+1))
		ok(t, fmt.Sprintf("look --columns --data %d.csv --label y --categories a --output %[1]d.told", k+1))
	}
	ok(t, "merge --output all.columns 1.columns 2.columns")
	refused(t, "look --like all.columns --data 1.csv --output no", `"a" has words or dates in some parts`, "--categories")
	for inputs, want := range map[string]string{"b": "number of columns is 1: must be 2; ", "b,a": `name of column 1 is "b": must be "a"; `} {
		ok(t, "look --columns --data 2.csv --label y --inputs "+inputs+" --output other")
		refused(t, "merge --output no 1.columns other", want+"look at the same columns of all parts, in one order (--inputs)")
	}
	ok(t, "merge --output all.told 1.told 2.told")
	ok(t, "look --like all.told --data 1.csv --output 1.look")
	refused(t, "show 1.look", "1.look is no model, no sums and no checkpoint", "rff merge", "rff gram --looks")

	save(t, ".", "damaged", []byte(read(t, "1.look")[:300]+"}"))
	refused(t, "merge --output no damaged 1.look", "damaged")
	save(t, ".", "sums", []byte(`{"of": "another program"}`))
	refused(t, "merge --output no 1.look sums", "sums is not a file of rff look")
	save(t, ".", "changed", []byte(strings.Replace(read(t, "1.look"), `"max":`, `"max":1`, 1)))
	refused(t, "merge --output no changed 1.look", "changed", "checksum")
	if _, err := os.Stat("no"); err == nil {
		t.Error("a refused merge left a file")
	}
}
