package main

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// Sums of parts with words, dates, gaps and an id, which no prediction needs, make the
// model of a fit of all rows. A part with a word that the plan lacks is refused.
func TestGramOfWordsAndDates(t *testing.T) {
	t.Chdir(t.TempDir())
	all := "id,when,town,x,y\n"
	parts := []string{all, all}
	for i := range 300 {
		x := fmt.Sprintf("%.2f", float64(i%13))
		if i%29 == 3 {
			x = ""
		}
		line := fmt.Sprintf("%d,%d/%d/2024 %d:00,%s,%s,%.4f\n", i+7, i%28+1, i/28+1, i%24, []string{"Ulm", "Bonn", "Jena"}[i%3], x, math.Sin(float64(i)/40)+float64(i%3))
		all += line
		parts[i/150] += line
	}
	save(t, ".", "all.csv", []byte(all))
	save(t, ".", "1.csv", []byte(parts[0]))
	save(t, ".", "2.csv", []byte(parts[1]))
	save(t, ".", "new.csv", []byte("town,when,x\nUlm,13/4/2024 7:00,\nJena,1/2/2024 8:00,3\n"))
	save(t, ".", "other.csv", []byte(strings.Replace(parts[1], "Ulm", "Peru", 1)))
	if r := ok(t, "gram --plan --data all.csv --features 32 --missing mean --output plan"); !strings.Contains(r.errors, "the day is taken to come first") || !strings.Contains(r.errors, "left out") {
		t.Errorf("%q", r.errors)
	}
	ok(t, "gram --like plan --data 1.csv --output 1.gram")
	ok(t, "gram --like plan --data 2.csv --output 2.gram")
	ok(t, "merge --output both.gram 1.gram 2.gram")
	ok(t, "solve --gram both.gram --lambda 1e-3 --model sums")
	ok(t, "fit --data all.csv --features 32 --missing mean --lambda 1e-3 --model fit")
	a, b := ok(t, "predict --model sums --data new.csv").out, ok(t, "predict --model fit --data new.csv").out
	var p, q, v, w float64
	if _, err := fmt.Sscanf(a, "predicted\n%g\n%g\n", &p, &q); err != nil {
		t.Fatal(a, err)
	}
	if _, err := fmt.Sscanf(b, "predicted\n%g\n%g\n", &v, &w); err != nil || math.Abs(p-v)+math.Abs(q-w) > 1e-8 {
		t.Errorf("of sums %q, of a fit %q, %v", a, b, err)
	}
	refused(t, "gram --like plan --data other.csv --output o.gram", `"Peru"`, `"town"`)
	refused(t, "gram --like plan --data 1.csv --missing drop --output o.gram", "--missing", "those of plan")
}

// Parts have the booleans of the first part, of a plan of all rows and of a plan of looks, and their sums
// make the model of a fit of all rows.
func TestGramOfBooleans(t *testing.T) {
	t.Chdir(t.TempDir())
	all := "x,flag,y\n"
	parts := []string{all, all}
	for i := range 200 {
		line := fmt.Sprintf("%d,%s,%.4f\n", i%17, []string{"True", "False"}[i*i%7%2], math.Sin(float64(i%17))+float64(i*i%7%2))
		all += line
		parts[i/100] += line
	}
	save(t, ".", "all.csv", []byte(all))
	save(t, ".", "1.csv", []byte(parts[0]))
	save(t, ".", "2.csv", []byte(strings.NewReplacer("True", "TRUE", "False", "FALSE").Replace(parts[1])))
	ok(t, "gram --plan --data all.csv --features 32 --output plan")
	for _, n := range []string{"1", "2"} {
		ok(t, "look --columns --data "+n+".csv --output "+n+".columns")
	}
	ok(t, "merge --output columns 1.columns 2.columns")
	ok(t, "look --data 1.csv --like columns --output 1.look")
	ok(t, "look --data 2.csv --like columns --output 2.look")
	ok(t, "gram --plan --looks 1.look,2.look --features 32 --output looked")
	ok(t, "gram --data 1.csv --features 32 --output first")
	ok(t, "fit --data all.csv --features 32 --lambda 1e-3 --model fit")
	save(t, ".", "far.csv", []byte("x,flag\n1e6,True\n"))
	for _, like := range []string{"plan", "looked", "first"} {
		ok(t, "gram --like "+like+" --data 1.csv --output 1.gram")
		ok(t, "gram --like "+like+" --data 2.csv --output 2.gram")
		ok(t, "merge --output both.gram 1.gram 2.gram")
		ok(t, "solve --gram both.gram --lambda 1e-3 --model sums")
		sums := ok(t, "predict --model sums --data all.csv --score --output p.csv").errors
		if want := ok(t, "predict --model fit --data all.csv --score --output p.csv").errors; like == "plan" && sums != want {
			t.Errorf("of sums %q, of a fit %q", sums, want)
		}
		if r := ok(t, "predict --model sums --data far.csv --output p.csv"); !strings.Contains(r.errors, "far outside") {
			t.Errorf("nothing is said of a row that lies far outside: %s", r.errors)
		}
	}
	save(t, ".", "no.csv", []byte("x,flag,y\nTrue,True,1\n"))
	refused(t, "gram --like plan --data no.csv --output o.gram", `column 1 "x"`, "is not a number")
}

// A part says how many of its rows have a word that the plan has not seen, of numbers and of classes.
func TestPartNotesUnseenWords(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, y := range [][2]string{{"0.5", "1.5"}, {"u", "v"}} {
		save(t, ".", "1.csv", []byte("town,y\nUlm,"+y[0]+"\nBonn,"+y[1]+"\nUlm,"+y[0]+"\nBonn,"+y[1]+"\n"))
		save(t, ".", "2.csv", []byte("town,y\nUlm,"+y[0]+"\nRome,"+y[1]+"\n"))
		if r := ok(t, "gram --data 1.csv --label y --unseen zero --features 8 --output 1"); strings.Contains(r.errors, "has not seen, which") {
			t.Errorf("the first part: %s", r.errors)
		}
		if r := ok(t, "gram --like 1 --data 2.csv --label y --output 2"); !strings.Contains(r.errors, "1 of 2; first: row 2; columns: \"town\"") {
			t.Errorf("no word of the unseen one: %s", r.errors)
		}
	}
}
