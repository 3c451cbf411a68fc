// Package papers has the figures that the papers print, as data; README.md beside it
// says where each comes from.
package papers

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"fmt"
	"strconv"
)

//go:embed liu-table3.csv
var liuTable3 []byte

// Liu is a figure of Table 3 of Liu et al., AAAI 2020.
type Liu struct {
	Data        string
	PerInput    int // frequencies per input: s/d
	Method      string
	Accuracy    float64 // %
	AccuracySD  float64
	Generate    float64 // seconds to generate features
	GenerateSD  float64
	Significant bool // the paper's mark: better than both baselines by a paired t-test
}

// LiuTable3 returns Table 3 in its order.
func LiuTable3() []Liu {
	var all []Liu
	for _, f := range records(liuTable3, "data", "frequencies_per_d", "method", "accuracy", "accuracy_sd", "generate_s", "generate_s_sd", "marked_significant") {
		all = append(all, Liu{f[0], int(number(f[1])), f[2], number(f[3]), number(f[4]), number(f[5]), number(f[6]), f[7] == "yes"})
	}
	return all
}

//go:embed eerf-tables.csv
var eerfTables []byte

// EERF is a row of Tables 3 and 5 of Shahrampour et al., AAAI 2018. Where both have a
// method, Table 5 repeats Table 3.
type EERF struct {
	Table       int
	Data        string
	Features    int     // M
	Candidates  int     // M₀; 0: none
	Share       float64 // N₀/N, of the rows that are scored on
	Method      string  // rks, eerf, lkrf
	Train       float64 // seconds
	Error       float64 // %
	ErrorStdErr float64
}

// EERFTables returns both tables in their order.
func EERFTables() []EERF {
	var all []EERF
	optional := func(text string) float64 {
		if text == "" {
			return 0
		}
		return number(text)
	}
	for _, f := range records(eerfTables, "table", "data", "task", "M", "M0", "N0_share", "method", "preprocess_s", "train_s", "test_s", "error_percent", "error_se") {
		all = append(all, EERF{int(number(f[0])), f[1], int(number(f[3])), int(optional(f[4])), optional(f[5]), f[6], number(f[8]), number(f[10]), number(f[11])})
	}
	return all
}

//go:embed rahimi-recht-table.csv
var rahimiRecht []byte

// RahimiRecht is a row of the table of experiments of Rahimi and Recht, NIPS 2007.
type RahimiRecht struct {
	Data          string
	Rows, Inputs  int
	Features      int
	Fourier       float64 // error of Fourier features and least squares, %
	FourierTrain  float64 // seconds
	SVM, SVMTrain float64 // the same of the exact support vector machine
}

// RahimiRechtTable returns the table in its order.
func RahimiRechtTable() []RahimiRecht {
	var all []RahimiRecht
	for _, f := range records(rahimiRecht, "data", "task", "rows", "inputs", "features", "fourier_ls_error_percent", "fourier_ls_train_s", "svm_error_percent", "svm_train_s") {
		all = append(all, RahimiRecht{f[0], int(number(f[2])), int(number(f[3])), int(number(f[4])), number(f[5]), number(f[6]), number(f[7]), number(f[8])})
	}
	return all
}

// records returns the lines of a file below its header. The files are part of the
// program, so what is wrong with them is a mistake in it.
func records(file []byte, header ...string) [][]string {
	lines, err := csv.NewReader(bytes.NewReader(file)).ReadAll()
	if err != nil {
		panic(err)
	}
	if got, want := fmt.Sprint(lines[0]), fmt.Sprint(header); got != want {
		panic("papers: the columns are " + got + ", not " + want)
	}
	return lines[1:]
}

func number(text string) float64 {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(err)
	}
	return v
}
