package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rffgo/rff/dataset/parquet"
)

// described returns what rff describe says as JSON.
func described(t *testing.T, args string) (d description) {
	t.Helper()
	out := ok(t, "describe --json "+args).out
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		t.Fatalf("rff describe --json %s: %v in\n%s", args, err, out)
	}
	return d
}

// What describe says that a fit would do is what rff fit does, with files as people have
// them: it stops for the same reason, or takes as many inputs.
func TestDescribeForetellsFit(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range people {
		if c.name == "weightless.csv" || strings.Contains(c.args, "--folds") {
			continue // what only the solution finds, and flags that are about it
		}
		save(t, ".", c.name, c.data)
		fit := call("", append(strings.Fields("fit --features 32 --model m --data "+c.name), strings.Fields(c.args)...)...)
		d := call("", append(strings.Fields("describe --json "+c.name), strings.Fields(c.args)...)...)
		why := strings.TrimPrefix(strings.TrimSpace(fit.errors), "rff: ")
		why = why[strings.LastIndex(why, "\nrff: ")+1:]
		why = strings.TrimPrefix(why, "rff: ")
		var said description
		if d.status == 0 {
			if err := json.Unmarshal([]byte(d.out), &said); err != nil {
				t.Fatal(err)
			}
		}
		switch {
		case fit.status == 0 && (d.status != 0 || said.Stop != "" || !strings.Contains(fit.out, fmt.Sprintf("%d rows, %d input", said.Rows, said.Inputs))):
			t.Errorf("%s %s: describe says %d rows, %d inputs and %q (%s), and fit\n%s", c.name, c.args, said.Rows, said.Inputs, said.Stop, d.errors, fit.out)
		case fit.status == 1 && d.status == 0 && said.Stop != why && !(strings.Contains(why, "--missing mean or") && strings.Contains(said.Stop, "--missing mean")):
			t.Errorf("%s %s: describe says that a fit would stop for %q, and it stops for %q", c.name, c.args, said.Stop, why)
		case fit.status != 0 && d.status != 0 && (d.status != fit.status || strings.ReplaceAll(d.errors, "describe", "fit") != fit.errors):
			t.Errorf("%s %s: describe ends with %d, %q, fit with %d, %q", c.name, c.args, d.status, d.errors, fit.status, fit.errors)
		}
	}
}

// One table as pandas, R, Excel and parquet writers have it is described alike, as counted
// here from the table.
func TestDescribeFormats(t *testing.T) {
	t.Chdir(t.TempDir())
	const n = 90
	towns := []string{"Bern", "Chur", "Genève"}
	var pandas, r, excel strings.Builder
	var b bytes.Buffer
	w, err := parquet.NewWriter(&b, []parquet.Column{{Name: "id"}, {Name: "day", Text: true}, {Name: "town", Text: true}, {Name: "temp"}, {Name: "sold"}})
	if err != nil {
		t.Fatal(err)
	}
	pandas.WriteString("id,day,town,temp,sold\n")
	r.WriteString(`"id","day","town","temp","sold"` + "\n")
	excel.WriteString("\xef\xbb\xbfid;day;town;temp;sold\r\n")
	sum, rows := 0.0, map[string]int64{}
	for i := range n {
		day, month, town, temp, sold := 1+i%28, 1+i/28, towns[i*i%5%3], float64(i%13)/4, fmt.Sprintf("%.2f", 1+float64(i*i%31)/8)
		rows[town]++
		text := fmt.Sprint(temp)
		if i%10 == 3 {
			text = ""
		} else {
			sum += temp
		}
		iso := fmt.Sprintf("2023-%02d-%02d", month, day)
		fmt.Fprintf(&pandas, "%d,%s,%s,%s,%s\n", 1000+i, iso, town, text, sold)
		na := text
		if na == "" {
			na = "NA"
		}
		fmt.Fprintf(&r, "%d,%q,%q,%s,%s\n", 1000+i, iso, town, na, sold)
		fmt.Fprintf(&excel, "%d;%02d.%02d.2023;%s;%s;%s\r\n", 1000+i, day, month, town, strings.ReplaceAll(text, ".", ","), strings.ReplaceAll(sold, ".", ","))
		w.Number(float64(1000 + i))
		w.Text(iso)
		w.Text(town)
		if text == "" {
			w.Null()
		} else {
			w.Number(temp)
		}
		w.Number(parse(t, sold))
		if err := w.EndRow(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	save(t, ".", "pandas.csv", []byte(pandas.String()))
	save(t, ".", "r.csv", []byte(r.String()))
	save(t, ".", "excel.csv", []byte(excel.String()))
	save(t, ".", "rows.parquet", b.Bytes())
	want := described(t, "pandas.csv")
	kinds := []string{}
	for _, c := range want.Columns {
		kinds = append(kinds, c.Name+" "+c.Kind)
	}
	if want := []string{"id id", "day times", "town words", "temp number"}; !slices.Equal(kinds, want) {
		t.Fatalf("kinds %q, want %q", kinds, want)
	}
	id, town, temp := want.Columns[0], want.Columns[2], want.Columns[3]
	if id.Different != n || id.Inputs != 0 || want.Rows != n || want.RowsMissing != n/10 || want.Stop == "" {
		t.Errorf("described as %+v", want)
	}
	for _, w := range town.Words {
		if rows[w.Text] != w.Rows || math.Abs(w.Share-float64(w.Rows)/n) > 1e-12 {
			t.Errorf("%s: %d rows, %v, want %d", w.Text, w.Rows, w.Share, rows[w.Text])
		}
	}
	if *temp.Missing != n/10 || temp.Different != 13 || *temp.Lowest != 0 || *temp.Highest != 3 || math.Abs(*temp.Mean-sum/(n-n/10)) > 1e-12 {
		t.Errorf("temp: %+v", temp)
	}
	if want.Target.Different == 0 || want.Target.Lowest == nil || *want.Target.Lowest != 1 {
		t.Errorf("target: %+v", want.Target)
	}
	for _, name := range []string{"r.csv", "excel.csv", "rows.parquet"} {
		got := described(t, name)
		if !reflect.DeepEqual(got.Columns, want.Columns) || !reflect.DeepEqual(got.Target, want.Target) || got.Rows != want.Rows || got.Stop != want.Stop {
			t.Errorf("%s is described otherwise than pandas.csv:\n%+v\n%+v", name, got, want)
		}
	}
}

// Rows that repeat, cells that cannot be read, and a target that is none are counted or said,
// and the other columns are described.
func TestDescribeDamage(t *testing.T) {
	t.Chdir(t.TempDir())
	save(t, ".", "d.csv", []byte("a,b,kind\n1,2,u\n1,2,u\n1,x,v\n4,5,v\n4,5,u,7\n3,3,w\n"))
	d := described(t, "d.csv")
	if d.Rows != 4 || d.Unreadable != 2 || d.Repeats != 1 || len(d.Target.Classes) != 3 || d.Target.Classes[0].Text != "u" || d.Target.Classes[0].Rows != 2 {
		t.Errorf("described as %+v", d)
	}
	if b := d.Columns[1]; b.Unreadable != 1 || b.Different != 3 || !strings.Contains(d.Stop, `row 3 (line 4), column 2 "b": "x" is not a number`) {
		t.Errorf("b is described as %+v, a fit stops for %q", b, d.Stop)
	}
	text := ok(t, "describe d.csv").out
	for _, want := range []string{"the reader refuses 2 rows", "50.00 %  \"u\", 2 rows", "cells that cannot be read: 1", "would stop: d.csv: row 3"} {
		if !strings.Contains(text, want) {
			t.Errorf("the text has no %q:\n%s", want, text)
		}
	}
	save(t, ".", "one.csv", []byte("a,kind\n"+strings.Repeat("1,u\n2,u\n", 20)))
	if d := described(t, "one.csv"); d.Target != nil || len(d.Columns) != 2 || d.Columns[0].Different != 2 || !strings.Contains(d.Stop, "one class only") {
		t.Errorf("described as %+v", d)
	}
	if d := described(t, "letter"); d.Rows != 15000 || len(d.Target.Classes) != 26 || d.Inputs != 16 {
		t.Errorf("letter: %d rows, %d classes, %d inputs", d.Rows, len(d.Target.Classes), d.Inputs)
	}
	refused(t, "describe", "say which data")
	refused(t, "describe nosuch.csv", "no such file")
	refused(t, "describe one.csv --label nosuch", `no column "nosuch"`)
}

// Of rows that are left out, nothing is taken from the counts of the others: the ids of 20 rows,
// of which 5 lack a value, had −5 missing cells. Targets are counted by value, as written or not.
func TestDescribeDroppedRowsAndTargets(t *testing.T) {
	t.Chdir(t.TempDir())
	var b strings.Builder
	b.WriteString("id,x,y\n")
	for i := range 20 {
		x, y := fmt.Sprint(i%7), []string{"1.5", "1.50", "-0.0", "0", "2"}[i%5]
		if i%4 == 1 {
			x = ""
		}
		fmt.Fprintf(&b, "k%d,%s,%s\n", i, x, y)
	}
	save(t, ".", "d.csv", []byte(b.String()))
	d := described(t, "d.csv --label y --missing drop")
	if d.Rows != 15 || d.Dropped != 5 || d.Target.Different != 3 {
		t.Errorf("%d rows, %d left out, %d different targets, want 15, 5 and 3", d.Rows, d.Dropped, d.Target.Different)
	}
	if id := d.Columns[0]; id.Kind != "id" || id.Missing != nil {
		t.Errorf("column %+v, want ids without a count of missing cells", id)
	}
}

// A column of times of day has no dates: describe names its first and last clock.
func TestDescribeTimesOfDay(t *testing.T) {
	t.Chdir(t.TempDir())
	var b strings.Builder
	b.WriteString("opens,y\n")
	for i := range 40 {
		fmt.Fprintf(&b, "%d:%02d:%02d,%d\n", 7+i%15, i, 59-i, i*i)
	}
	save(t, ".", "shops.csv", []byte(b.String()))
	c := described(t, "shops.csv --label y").Columns[0]
	// The first is that of i = 0, the last that of i = 29, as 7+29%15 = 21.
	if out := ok(t, "describe shops.csv --label y").out; c.Kind != "times of day" || !strings.Contains(out, "07:00:59 … 21:29:30") {
		t.Errorf("%+v\n%s", c, out)
	}
}
