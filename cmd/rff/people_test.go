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

// Files as people have them: exports of R, pandas, spreadsheets and data bases.

// houses is a table of numbers with n rows: a header, the fields of a row, and what
// separates them. change may alter a field.
func houses(n int, comma string, change func(row int, fields []string)) []byte {
	rng := rand.New(rand.NewPCG(7, 7))
	b := []byte(strings.Join([]string{"area", "rooms", "price"}, comma) + "\n")
	for i := range n {
		area, rooms := 40+100*rng.Float64(), float64(1+rng.IntN(6))
		fields := []string{fmt.Sprintf("%.2f", area), fmt.Sprint(rooms), fmt.Sprintf("%.3f", 2*area+10*math.Sin(rooms)+rng.NormFloat64())}
		if change != nil {
			change(i, fields)
		}
		b = append(b, strings.Join(fields, comma)+"\n"...)
	}
	return b
}

// at changes one field of one row.
func at(row, field int, text string) func(int, []string) {
	return func(i int, fields []string) {
		if i == row {
			fields[field] = text
		}
	}
}

// Command lines on such files, each judged by what it says.
var people = []struct {
	name   string
	data   []byte
	args   string // after fit --features 32 --model m --data FILE
	status int
	want   string // in what it prints
}{
	{"plain.csv", houses(90, ",", nil), "", 0, "regression"},
	{"excel-bom.csv", append([]byte("\xef\xbb\xbf"), houses(90, ",", nil)...), "--label price", 0, "2 inputs, regression"},
	{"excel-semicolon.csv", houses(90, ";", nil), "--label price", 0, "2 inputs, regression"},
	{"excel-crlf.csv", bytes.ReplaceAll(houses(90, ";", nil), []byte("\n"), []byte("\r\n")), "", 0, "2 inputs, regression"},
	{"decimal-comma.csv", bytes.ReplaceAll(houses(90, ";", nil), []byte("."), []byte(",")), "", 0, "90 rows, 2 inputs, regression"},
	{"tabs.tsv", houses(90, "\t", nil), "", 0, "2 inputs, regression"},
	{"spaces.txt", houses(90, " ", nil), "", 0, "2 inputs, regression"},
	{"na-target.csv", houses(90, ",", at(33, 2, "NA")), "", 1, `row 34 (line 35): "NA" is not a number, as other labels are, and the label has 90 different values in 90 rows, which are no classes: take it for a missing label, whose row is left out (--na TEXT --missing drop)`},
	{"na-target2.csv", houses(90, ",", at(33, 2, "NA")), "--task regression", 1, `row 34 (line 35): "NA" is not a number, and the target of a regression has numbers: take it for a missing label, whose row is left out (--na TEXT --missing drop)`},
	{"na-target3.csv", houses(90, ",", at(33, 2, "NA")), "--missing drop --na NA", 0, "89 rows, 2 inputs, regression"},
	{"dollars.csv", houses(90, ",", func(i int, f []string) { f[2] = `"$1,2` + f[2] + `"` }), "", 1, "90 different values in 90 rows"},
	{"models.csv", houses(90, ",", func(i int, f []string) { f[0], f[2] = fmt.Sprint([]string{"x", "", ""}[min(i%9, 2)], i), "of "+f[2] }), "", 1, `"x0" is not a number: mend it, or take it for a missing value (--na TEXT --missing drop); in a column of words, take these as inputs (--categories COLUMNS), or leave it out (--inputs COLUMNS)`},
	{"na-input.csv", houses(90, ",", at(5, 0, "NA")), "", 1, "--missing mean or drop"},
	{"na-mean.csv", houses(90, ",", at(5, 0, "NA")), "--missing mean", 0, "90 rows, 2 inputs"},
	{"nan-drop.csv", houses(90, ",", at(5, 0, "NaN")), "--missing drop", 0, "89 rows, 2 inputs"},
	{"null.csv", houses(90, ",", at(5, 1, "null")), "--missing mean", 0, "90 rows"},
	{"none.csv", houses(90, ",", at(5, 1, "None")), "--missing mean", 0, "90 rows"},
	{"question.csv", houses(90, ",", at(5, 1, "?")), "--missing drop", 0, "89 rows"},
	{"dash.csv", houses(90, ",", at(5, 1, "-")), "", 1, "stands for a missing value"},
	{"empty-cell.csv", houses(90, ",", at(5, 1, "")), "--missing mean", 0, "90 rows"},
	{"own-word.csv", houses(90, ",", at(5, 1, "fehlt")), "--missing mean --na fehlt", 0, "90 rows"},
	{"own-number.csv", houses(90, ",", at(5, 1, "-999")), "--missing mean --na -999", 2, "--na: -999: is a number"},
	{"na-useless.csv", houses(90, ",", nil), "--na fehlt", 2, "is of no use without --missing"},
	{"year-header.csv", bytes.Replace(houses(90, ",", nil), []byte("area,rooms"), []byte("2019,2020"), 1), "", 0, "taken for the names"},
	{"twice.csv", bytes.Replace(houses(90, ",", nil), []byte("area,rooms"), []byte("area,area"), 1), "", 1, `two columns are called "area"`},
	{"constant.csv", houses(90, ",", func(i int, f []string) { f[2] = "3" }), "--task regression", 1, "the target is 3 in every row"},
	{"one-class.csv", houses(90, ",", func(i int, f []string) { f[2] = "u" }), "", 1, "one class only"},
	{"pipes.csv", houses(90, "|", nil), "", 0, "2 inputs, regression"},
	{"comment.csv", append([]byte("# exported on Monday\n"), houses(90, ",", nil)...), "", 0, "taken for a comment"},
	{"cut.csv.gz", zipped(houses(900, ",", nil))[:900], "", 1, "compressed data end early"},
	{"damaged.csv.gz", append([]byte("\x1f\x8b\x08\x00"), houses(90, ",", nil)...), "", 1, "compressed data are damaged"},
	{"damaged.csv.bz2", append([]byte("BZh91AY&SY"), houses(90, ",", nil)...), "", 1, "compressed data are damaged"},
	{"damaged.csv.zst", append([]byte("\x28\xb5\x2f\xfd"), houses(90, ",", nil)...), "", 1, "compressed data are damaged"},
	{"damaged.idx", []byte("\x00\x00\x08\x03\x00\x00\x00\x05\x00\x00\x00\x02"), "", 1, "within the header of an IDX file"},
	{"sparse.svm", []byte(strings.Repeat("1 1:2 5:1\n0 2:1\n", 20)), "--missing mean", 2, "where what a row does not name is 0"},
	{"sparse2.svm", []byte(strings.Repeat("1 1:2 5:1\n0 2:1\n", 20)), "--categories 1", 1, "holds numbers alone"},
	{"words.csv", []byte("job,pay\n" + strings.Repeat("cook,low\nnurse,high\npilot,high\n", 20)), "", 0, `"job" has words: each of the 3 becomes an input`},
	{"words2.csv", []byte("job,pay\n" + strings.Repeat("cook,low\nnurse,high\npilot,high\n", 20)), "--categories job", 0, "--unseen zero"},
	{"log.txt", []byte(strings.Repeat("2024-01-02 10:00:00 INFO started in 12 ms\n", 30)), "", 1, "one class only"},
	{"page.html", []byte("<!DOCTYPE html><html><body>404</body></html>\n"), "", 1, "HTML"},
	{"empty.csv", nil, "", 1, "empty"},
	{"folds.csv", houses(30, ",", nil), "--folds 31", 2, "--folds 31: the data have 30 rows"},
	{"all-out.csv", houses(30, ",", nil), "--folds 30", 0, "over 30 rows"},
	{"utf16.csv", []byte("\xff\xfea\x00,\x00y\x00\n\x001\x00,\x002\x00\n\x00"), "", 1, "UTF-16"},
	{"thousands.csv", houses(90, ",", func(i int, f []string) { f[0] = `"1,` + f[0] + `"` }), "", 1, "thousands without separators"},
	{"percent.csv", houses(90, ",", func(i int, f []string) { f[0] += "%" }), "", 1, "without currencies, percent signs"},
	{"overflow.csv", houses(90, ",", at(8, 0, "1e999")), "", 1, `row 9 (line 10), column 1 "area": "1e999" is not a finite number`},
	{"debts.csv", houses(90, ",", at(8, 1, "-2")), "--weights rooms", 1, `"-2" is a negative weight`},
	{"weightless.csv", houses(90, ",", func(i int, f []string) { f[1] = "0" }), "--weights rooms", 1, "no rows of positive weight"},
	{"json.csv", []byte(`[{"area": 1, "price": 2}]` + "\n"), "", 1, "is JSON"},
	{"zeros.csv", bytes.Replace(houses(90, ",", nil), []byte("area"), []byte("ar\x00a"), 1), "", 1, "neither text"},
	{"far.csv", houses(90, ",", func(i int, f []string) { f[0] = fmt.Sprint(1e8 + float64(i)) }), "", 0, "2 inputs, regression"},
}

func TestPeople(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range people {
		save(t, ".", c.name, c.data)
		r := call("", append(strings.Fields("fit --features 32 --model m --data "+c.name), strings.Fields(c.args)...)...)
		if text := r.out + r.errors; r.status != c.status || !strings.Contains(text, c.want) {
			t.Errorf("rff fit --data %s %s: status %d, want %d and %q in:\n%s", c.name, c.args, r.status, c.status, c.want, text)
		}
	}
}

// Files by a pattern, by a folder and by several flags are one set, in their order.
func TestManyFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("parts", 0o755); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(houses(90, ",", nil)), "\n")
	for i, part := range [][]string{lines[1:31], lines[31:61], lines[61:91]} {
		save(t, "parts", fmt.Sprintf("part-%d.csv", i), []byte(lines[0]+strings.Join(part, "")))
	}
	save(t, "parts", "_SUCCESS", nil)
	save(t, "parts", ".part-0.csv", []byte("a check sum"))
	if err := os.CopyFS("parts[1]", os.DirFS("parts")); err != nil {
		t.Fatal(err)
	}
	save(t, ".", "whole.csv", []byte(strings.Join(lines, "")))
	ok(t, "fit --features 32 --data whole.csv --model whole")
	for _, data := range []string{"parts", "parts[1]", "parts/*.csv", "parts/part-*.csv", "parts/part-0.csv --data parts/part-[12].csv", "parts/part-0.csv,parts/part-1.csv --data parts/part-2.csv"} {
		ok(t, "fit --features 32 --model m --data "+data)
		ok(t, "predict --model m --output p --data "+data)
		ok(t, "predict --model whole --output q --data whole.csv")
		if read(t, "p") != read(t, "q") {
			t.Errorf("--data %s: another model than of the whole file", data)
		}
		ok(t, "gram --features 32 --output g --data "+data)
		ok(t, "compare --samplers rff --features 16 --reps 1 --data "+data)
	}
	refused(t, "fit --model m --data parts/.*.csv", ".part-0.csv")
	refused(t, "fit --model m --data none-*.csv", "there are no files none-*.csv")

	// Nothing is left out without a word: neither folders within nor links to nothing.
	if err := os.CopyFS("parts/year=2024", os.DirFS("parts[1]")); err != nil {
		t.Fatal(err)
	}
	for _, data := range []string{"parts", "parts/*"} {
		refused(t, "fit --model m --data "+data, "parts/year=2024 is a folder", "say parts/*/* for")
	}
	if out := ok(t, "fit --features 32 --model m --data parts/*/*.csv,parts/*.csv").out; !strings.Contains(out, "180 rows") {
		t.Errorf("files in folders and beside them: %s", out)
	}
	if err := os.Symlink("nowhere", "parts[1]/part-9.csv"); err == nil {
		refused(t, "fit --model m --data parts[1]", "parts[1]/part-9.csv: no such file")
	}
}

// Rows with words that the fit has not seen are predicted if predict is told how.
func TestUnseenInPredict(t *testing.T) {
	t.Chdir(t.TempDir())
	table := "job,hours,pay\n" + strings.Repeat("cook,20,low\nnurse,35,high\npilot,30,high\n", 10)
	save(t, ".", "t.csv", []byte(table))
	save(t, ".", "new.csv", []byte("job,hours,pay\nbaker,20,low\ncook,20,low\n"))
	ok(t, "fit --data t.csv --categories job --features 16 --model strict")
	ok(t, "fit --data t.csv --categories job --unseen zero --features 16 --model lax")
	refused(t, "predict --model strict --data new.csv", `"baker"`, "--unseen zero")
	if a, b := ok(t, "predict --model strict --data new.csv --unseen zero").out, ok(t, "predict --model lax --data new.csv").out; a != b {
		t.Errorf("%q, fitted with --unseen zero %q", a, b)
	}
	refused(t, "predict --model lax --data new.csv --unseen error", `"baker"`)
	save(t, ".", "n.csv", houses(40, ",", nil))
	ok(t, "fit --data n.csv --features 16 --model n")
	refused(t, "predict --model n --data n.csv --unseen zero", "no columns of words")
	// Words that name the rows say nothing; very many are worth a word.
	rows := "name,x,y\n"
	many := "name,x,y\n"
	for i := range 300 {
		rows += fmt.Sprintf("n%d,%d,%g\n", i, i%7, math.Sin(float64(i)))
		many += fmt.Sprintf("n%d,%d,%g\n", i/2, i%7, math.Sin(float64(i)))
	}
	save(t, ".", "rows.csv", []byte(rows))
	save(t, ".", "many.csv", []byte(many))
	save(t, ".", "n2.csv", []byte("x\n1\n2\n"))
	if r := ok(t, "fit --data rows.csv --categories name --features 16 --model m"); !strings.Contains(r.errors, "each of the 300 rows has another word") || !strings.Contains(r.out, "1 input,") {
		t.Errorf("%q %q", r.out, r.errors)
	}
	ok(t, "predict --model m --data n2.csv")
	if r := ok(t, "fit --data rows.csv --categories name --keep name --features 16 --model m"); !strings.Contains(r.out, "301 inputs,") {
		t.Errorf("%q", r.out)
	}
	if r := ok(t, "fit --data many.csv --categories name --features 16 --model m"); !strings.Contains(r.errors, `"name" has 150 words, and makes as many inputs`) {
		t.Errorf("%q", r.errors)
	}
}

// A model is compared with its own target: another column of the file is no truth.
func TestLabelOfAnother(t *testing.T) {
	t.Chdir(t.TempDir())
	save(t, ".", "t.csv", houses(60, ",", nil))
	ok(t, "fit --data t.csv --features 16 --model m")
	save(t, ".", "id.csv", bytes.ReplaceAll(bytes.ReplaceAll(houses(60, ",", nil), []byte("\n"), []byte(",7\n")), []byte("price,7"), []byte("price,id")))
	refused(t, "predict --model m --data id.csv --label id", `label, "price", is there`, `"id" is another`, "(--label COLUMN)")
	save(t, ".", "renamed.csv", bytes.Replace(houses(60, ",", nil), []byte("price"), []byte("paid"), 1))
	if r := ok(t, "predict --model m --data renamed.csv --label paid"); !strings.Contains(r.errors, `"paid" is taken for the label, which the fit calls "price"`) {
		t.Errorf("%q", r.errors)
	}
}
