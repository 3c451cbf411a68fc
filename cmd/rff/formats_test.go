package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// writings has one table as other programs write it, by the names of the files.
func writings(t *testing.T) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for _, name := range []string{"pandas.csv", "polars.tsv", "py.parquet", "py.arrow", "py.arrows", "polars.parquet", "polars.arrow", "fast.avro"} {
		data, err := os.ReadFile(filepath.Join("testdata/formats", name))
		if err != nil {
			t.Fatal(err)
		}
		out[name] = data
	}
	out["r.csv"] = []byte(strings.NewReplacer("True", "TRUE", "False", "FALSE").Replace(string(out["pandas.csv"])))
	return out
}

// timed is what a fit says of itself that is not the same each time.
var timed = regexp.MustCompile(`(?m)^seconds .*\n`)

// TestFormatsAgree compares what the commands make of one table that other programs wrote in
// several formats, under one name: the bytes of the model and all texts but the name of the format.
// What is refused is refused in all of them, for one reason.
func TestFormatsAgree(t *testing.T) {
	all := "x,few,big,gappy,price,flag,word,level,day,at,clock"
	cases := map[string]struct {
		args  string
		words string // in the text of the fit or, if want is set, in its error
		fails bool
	}{
		"all kinds":           {"--label size --inputs " + all + " --missing mean --weights w --folds-by side --folds 4", "inputs", false},
		"rows without gaps":   {"--label name --inputs " + all + " --missing drop --folds-by code", "3 classes", false},
		"booleans":            {"--label good --inputs x,flag,side --missing mean --probabilities", "recall    False", false},
		"booleans as words":   {"--label good --inputs x,flag,side --missing drop --categories flag,side", "5 inputs", false},
		"a boolean number":    {"--label good --inputs x,side --task regression", "regression", false},
		"weights of booleans": {"--label size --inputs x,few --missing mean --weights good", "2 inputs", false},
		"sets by a boolean":   {"--label name --inputs x,side --interval --interval-by side", "3 classes", false},
		"classes by numbers":  {"--label code --inputs x,level", "recall    1000", false},
		"numbers as words":    {"--label size --inputs x,few,code --categories few,code --missing drop", "regression", false},
		"texts of digits":     {"--label size --inputs price,digits --missing mean", "2 inputs", false},
		"weights of digits":   {"--label size --inputs price --missing drop --weights digits", "46 rows", false},
		"ids beyond 2^53":     {"--label size --inputs price --folds-by account --folds 9", "1 input", false},
		"ids as classes":      {"--label account --inputs price --task classification", "12 classes", false},
		"decimals as words":   {"--label size --inputs x,price --categories price --keep price", "4", false},
		"decimals as classes": {"--label price --inputs x --task classification", "no classes", true},
		"ids as words":        {"--label size --inputs x,account --categories account", "13 inputs", false},
		"days as classes":     {"--label term --inputs x,level --folds-by at", "recall    2024-01-01", false},
		"midnights":           {"--label midnight --inputs x,level --folds-by day --missing drop", "recall    2024-01-01", false},
		"times of day":        {"--label shift --inputs x,level --folds-by clock", "recall    00:30:00", false},
		"instants":            {"--label instant --inputs x,level --folds-by berlin --folds 3", "2024-03-31 02:00:00.001Z", false},
		"times as words":      {"--label size --inputs x,term,shift,berlin --categories term,shift,berlin", "10 inputs", false},
		"a gap":               {"--label size --inputs x,flag", "row 15", true},
		"a label missing":     {"--label unsaid --inputs x", "the label is missing", true},
		"an infinity":         {"--label size --inputs x,endless", "is not a finite number", true},
		"words of no use":     {"--label size --inputs x --weights level", "number", true},
	}
	agree := func(t *testing.T, first *map[string]string, file string, got map[string]string) {
		if *first == nil {
			*first = got
		}
		for what, text := range got {
			if text != (*first)[what] {
				t.Errorf("%s: %s is another one:\n%.1500s\nand\n%.1500s", file, what, text, (*first)[what])
			}
		}
	}
	// In this process: starting so many others would be half of the time.
	said := func(args string) string {
		r := call("", strings.Fields(args)...)
		return regexp.MustCompile(`table: [a-z]+,`).ReplaceAllString(fmt.Sprint(r.status, r.out, r.errors), "table:")
	}
	files := writings(t)
	t.Run("describe", func(t *testing.T) {
		t.Chdir(t.TempDir())
		var first map[string]string
		for file, data := range files {
			save(t, ".", "table", data)
			agree(t, &first, file, map[string]string{"the description": said("describe --data table --missing mean --label name --inputs " + all)})
		}
	})
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			var first map[string]string
			for file, data := range files {
				save(t, ".", "table", data)
				os.Remove("m") // the model of the file before
				fit := call("", strings.Fields("fit --data table --features 32 --model m "+c.args)...)
				if text := fit.out + fit.errors; (fit.status != 0) != c.fails || !strings.Contains(text, c.words) {
					t.Errorf("%s: status %d, want %q in:\n%s", file, fit.status, c.words, text)
				}
				if c.fails || fit.status != 0 {
					continue
				}
				got := map[string]string{"the fit": timed.ReplaceAllString(fit.out, "") + fit.errors, "the model": read(t, "m")}
				for _, args := range []string{"predict --model m --data table", "predict --model m --data table --score"} {
					got[args] = said(args)
				}
				agree(t, &first, file, got)
			}
		})
	}
}

// TestArraysAgree compares arrays of NumPy, LIBSVM and CSV without names, which can hold numbers,
// with CSV: predictions have the same bits, and booleans are the classes False and True.
func TestArraysAgree(t *testing.T) {
	rows, err := csv.NewReader(bytes.NewReader(writings(t)["pandas.csv"])).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var named, plain, sparse, labels, inputs, good bytes.Buffer
	array := func(b *bytes.Buffer, kind, shape string) {
		head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", kind, shape)
		fmt.Fprintf(b, "\x93NUMPY\x01\x00\x76\x00%-117s\n", head)
	}
	array(&inputs, "<f8", "48, 3")
	array(&good, "|b1", "48,")
	for i, row := range rows {
		var cells []string
		for _, name := range []string{"x", "side", "w", "good"} {
			cells = append(cells, row[slices.Index(rows[0], name)])
		}
		fmt.Fprintln(&named, strings.Join(cells, ","))
		if i == 0 {
			continue
		}
		fmt.Fprintln(&plain, strings.Join(cells, ","))
		fmt.Fprintln(&labels, cells[3])
		good.WriteByte(byte(strings.Count(cells[3], "True")))
		sparse.WriteString(strings.ToLower(cells[3]))
		for j, cell := range cells[:3] {
			number := strings.NewReplacer("True", "1", "False", "0").Replace(cell)
			v, err := strconv.ParseFloat(number, 64)
			if err != nil {
				t.Fatal(err)
			}
			for bits, k := math.Float64bits(v), 0; k < 64; k += 8 {
				inputs.WriteByte(byte(bits >> k))
			}
			if v != 0 {
				fmt.Fprintf(&sparse, " %d:%s", j+1, number)
			}
		}
		sparse.WriteByte('\n')
	}
	for name, data := range map[string]*bytes.Buffer{"named": &named, "plain": &plain, "sparse": &sparse, "inputs": &inputs, "labels": &labels, "good": &good} {
		save(t, dir, name, data.Bytes())
	}
	predicted := func(data string) string {
		args := append([]string{"--model", "m", "--data"}, strings.Fields(data)...)
		must(t, dir, append([]string{"fit", "--features", "32", "--probabilities"}, args...)...)
		r := invoke(t, dir, append([]string{"predict", "--score", "--probabilities"}, args...)...)
		if !strings.Contains(r.errors, "recall False") {
			t.Errorf("%s: %s", data, r.errors)
		}
		return r.out + regexp.MustCompile("(?m)^rff: accuracy.*").FindString(r.errors)
	}
	want := predicted("named")
	for _, data := range []string{"plain", "sparse", "inputs --labels labels", "inputs --labels good"} {
		if got := predicted(data); got != want {
			t.Errorf("%s:\n%.900s\nwant\n%.900s", data, got, want)
		}
	}
}

// TestBooleansOfOldModels applies models of the time when booleans were words in CSV, and numbers
// in other formats: they take the rows of both, and compare the labels of both.
func TestBooleansOfOldModels(t *testing.T) {
	dir := t.TempDir()
	for file, data := range writings(t) {
		save(t, dir, file, data)
	}
	for _, old := range []string{"old-text", "old-columns"} {
		model, err := os.ReadFile(filepath.Join("testdata/formats", old+".safetensors"))
		if err != nil {
			t.Fatal(err)
		}
		save(t, dir, old, model)
		var first string
		for file := range writings(t) {
			r := invoke(t, dir, "predict", "--model", old, "--data", file, "--score")
			text := r.out + r.errors
			if text = strings.ReplaceAll(text, file, ""); first == "" {
				first = text
			}
			if r.status != 0 || !strings.Contains(text, "of 48 rows") || text != first {
				t.Errorf("%s on %s: status %d, %s\n%s", old, file, r.status, r.errors, first)
			}
		}
	}
}

// TestRowsWithoutLabels predicts all rows of a table, and compares those that have a label, in
// every format, as if the others were not there.
func TestRowsWithoutLabels(t *testing.T) {
	rows, err := csv.NewReader(bytes.NewReader(writings(t)["pandas.csv"])).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for file, data := range writings(t) {
		save(t, dir, file, data)
	}
	unsaid, price := slices.Index(rows[0], "unsaid"), slices.Index(rows[0], "price")
	var said, na, labels bytes.Buffer
	for i, row := range rows {
		if row[unsaid] != "" {
			fmt.Fprintf(&said, "%s,%s\n", row[price], row[unsaid])
		} else {
			row[unsaid] = "NA"
		}
		fmt.Fprintf(&na, "%s,%s\n", row[price], row[unsaid])
		if i > 0 {
			fmt.Fprintf(&labels, "%s\n", strings.Replace(row[unsaid], "NA", "NaN", 1))
		}
	}
	save(t, dir, "said", said.Bytes())
	save(t, dir, "na", na.Bytes())
	save(t, dir, "labels", labels.Bytes())
	must(t, dir, strings.Fields("fit --data said --features 32 --model m --label unsaid --inputs price")...)
	want := invoke(t, dir, strings.Fields("predict --model m --data said --score")...)
	all := invoke(t, dir, strings.Fields("predict --model m --data na --inputs price")...).out
	for _, data := range append(slices.Sorted(maps.Keys(writings(t))), "na", "na --inputs price --labels labels") {
		r := invoke(t, dir, append(strings.Fields("predict --score --model m --data"), strings.Fields(data)...)...)
		measures := regexp.MustCompile("(?m)^rff: (accuracy|recall).*")
		if r.status != 0 || r.out != all || !strings.Contains(r.errors, "1 of 48 rows has no label") ||
			!slices.Equal(measures.FindAllString(r.errors, -1), measures.FindAllString(want.errors, -1)) {
			t.Errorf("%s: status %d, %s\nwant\n%s", data, r.status, r.errors, want.errors)
		}
	}
}
