package main

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// lessons returns rows with inputs, of words too, and the probabilities of a teacher between
// them. The same rows come with the likeliest class, and once for each class with its probability
// as the weight.
func lessons(n int) (taught, labelled, long string) {
	var t, l, w strings.Builder
	t.WriteString("a,colour,cat,b,dog\n")
	l.WriteString("colour,b,a,y\n")
	w.WriteString("a,colour,b,y,p\n")
	for i := range n {
		a, b := math.Sin(float64(3*i)), math.Cos(float64(i*i))
		colour := []string{"red", "blue"}[i%2]
		p := math.Round(1000/(1+math.Exp(4*a*b+float64(i%2)))) / 1000
		y := "dog"
		if p > 0.5 {
			y = "cat"
		}
		fmt.Fprintf(&t, "%.4f,%s,%.3f,%.4f,%.3f\n", a, colour, p, b, 1-p)
		fmt.Fprintf(&l, "%s,%.4f,%.4f,%s\n", colour, b, a, y)
		fmt.Fprintf(&w, "%.4f,%s,%.4f,cat,%.3f\n%.4f,%s,%.4f,dog,%.3f\n", a, colour, b, p, a, colour, b, 1-p)
	}
	return t.String(), l.String(), w.String()
}

// A student has the probabilities of a fit to rows of each class that the teacher's weigh, and
// its classes are the columns.
func TestTeacher(t *testing.T) {
	t.Chdir(t.TempDir())
	taught, labelled, long := lessons(300)
	save(t, ".", "taught.csv", []byte(taught))
	save(t, ".", "labelled.csv", []byte(labelled))
	save(t, ".", "long.csv", []byte(long))
	const fit = "fit --features 64 --sigma 2 --lambda 1e-3 --loss logistic --model "
	said := ok(t, fit+"student --data taught.csv --teacher cat,dog")
	var right float64 // of the likelier class of each row
	for _, line := range strings.Split(strings.TrimSpace(taught), "\n")[1:] {
		p, err := strconv.ParseFloat(strings.Split(line, ",")[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		right += max(p, 1-p) / 300
	}
	if !strings.Contains(said.out, "2 classes") || !strings.Contains(said.errors, fmt.Sprintf("has an accuracy of %.1f %%", 100*right)) {
		t.Errorf("%s\n%s\nwant %.3f", said.out, said.errors, right)
	}
	read := func(model string) (p []float64) {
		out := ok(t, "predict --data labelled.csv --label y --score --probabilities --model "+model).out
		rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		if err != nil || len(rows) != 301 || rows[0][1] != "probability cat" {
			t.Fatalf("%v: %.200s", err, out)
		}
		for _, row := range rows[1:] {
			v, err := strconv.ParseFloat(row[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			p = append(p, v)
		}
		return p
	}
	ok(t, fit+"weighted --data long.csv --label y --weights p")
	a, b := read("student"), read("weighted")
	for i := range a {
		// Both objectives are within 1e-6 of the least, over a loss of at most log 2, and curve by λ
		// and more: coefficients are within √(1e-6/1e-3), and most of it is where no row is.
		if math.Abs(a[i]-b[i]) > 0.01 {
			t.Fatalf("row %d: %v, and %v by weighted rows", i, a[i], b[i])
		}
	}
	// Hotter teachers are less sure, with the inputs named or not, and Auto takes them, too.
	if even := ok(t, fit+"hot --data taught.csv --teacher cat,dog --temperature 3 --inputs a,b,colour").errors; strings.Contains(even, fmt.Sprintf("%.1f %%", 100*right)) {
		t.Error(even)
	}
	hot := read("hot")
	var sure, less float64
	for i := range a {
		sure, less = sure+math.Abs(a[i]-0.5), less+math.Abs(hot[i]-0.5)
	}
	if less > 0.6*sure {
		t.Errorf("at a temperature of 3 probabilities are %.3f from one half, and %.3f at 1", less/300, sure/300)
	}
	if out := ok(t, "fit --auto --budget 0.2s --data taught.csv --teacher cat,dog --model auto").out; !strings.Contains(out, "3 inputs, 2 classes") && !strings.Contains(out, "4 inputs, 2 classes") {
		t.Error(out)
	}
}

func TestTeachersThatAreRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	taught, _, _ := lessons(50)
	save(t, ".", "taught.csv", []byte(taught))
	save(t, ".", "third.csv", []byte(strings.Replace(taught, "dog", "dig", 1)))
	save(t, ".", "sums.csv", []byte(taught+"0.5,red,0.7,0.1,0.7\n"))
	const fit = "fit --features 32 --model m --data "
	refused(t, fit+"taught.csv --teacher cat,dog --label a", "--label", "--teacher")
	refused(t, fit+"taught.csv --teacher cat,dog --class-weight balanced", "--class-weight", "--weights")
	refused(t, fit+"taught.csv --teacher cat,dog --task regression", "--task", "--teacher")
	refused(t, fit+"taught.csv --teacher cat,dog --test taught.csv", "--test", "rff predict --score")
	refused(t, fit+"taught.csv --temperature 2 --label b", "--temperature", "--teacher")
	refused(t, fit+"taught.csv --teacher cat,dog --temperature 0", "--temperature", "0.001 to 1e6")
	refused(t, fit+"letter --teacher cat,dog", "--teacher", "named data set")
	refused(t, fit+"taught.csv --teacher cat", "--teacher", "two or more")
	refused(t, fit+"third.csv --teacher cat,dog", "--teacher", "did you mean dig")
	refused(t, fit+"taught.csv --teacher cat,dog,colour", "--teacher", "colour")
	refused(t, fit+"taught.csv --teacher cat,dog --missing mean", "--teacher", "drop")
	refused(t, fit+"sums.csv --teacher cat,dog", "row 51", "line 52", "within 0.01")
	refused(t, fit+"taught.csv --teacher cat,colour", "--teacher", "colour", "words or times")
	if _, err := os.Stat("m"); err == nil {
		t.Error("a refused fit left a model")
	}
}

// Cells of a teacher's column that are no probability have a remedy that works for such a column.
func TestCellsOfATeacher(t *testing.T) {
	t.Chdir(t.TempDir())
	taught, _, _ := lessons(50)
	for _, cell := range []string{"word", "", "NA", "inf", "40%", "true"} {
		save(t, ".", "cell.csv", []byte(taught+"0.5,red,"+cell+",0.1,0.7\n"))
		const fit = "fit --features 32 --model m --data cell.csv --teacher cat,dog"
		refused(t, fit, "row 51", "line 52", "cat", "probability", "leave such rows out (--missing drop, and --na TEXT for a word)")
		if said := call("", strings.Fields(fit)...).errors; strings.Contains(said, "mean") || strings.Contains(said, "--categories") || strings.Contains(said, "--inputs") {
			t.Errorf("%q: %s", cell, said)
		}
		if out := ok(t, fit+" --missing drop --na "+cmp.Or(cell, "NA")).out; !strings.Contains(out, "50 rows") {
			t.Errorf("%q: %s", cell, out)
		}
	}
}
