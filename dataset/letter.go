package dataset

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"

	"github.com/rffgo/rff/blas"
)

//go:generate sh -c "Rscript ../bench/gen/letter/letter.R | go -C ../bench run ./gen/letter -order $RFF_DATA/letter > letter.bin.gz"

// letterBytes holds the set column by column, one byte per value, gzipped. The label
// ('A' … 'Z') is the first of 17 columns of 20,000 bytes.
//
//go:embed letter.bin.gz
var letterBytes []byte

const letterRows, letterTrain = 20000, 15000

var letterInputs = []string{"x_box", "y_box", "width", "high", "onpix", "x_bar", "y_bar",
	"x2bar", "y2bar", "xybar", "x2ybr", "xy2br", "x_ege", "xegvy", "y_ege", "yegvx"}

// Letter returns the Letter Recognition data set: 20,000 letters of 26 classes, printed in 20
// distorted fonts, each described by 16 integers 0 … 15. The first 15,000 rows are its
// training part. The rows have the order of LIBSVM's files letter.scale and letter.scale.t,
// whose division the literature uses.
//
// P. W. Frey and D. J. Slate, "Letter recognition using Holland-style adaptive
// classifiers", Machine Learning 6:161–182, 1991; UCI Machine Learning
// Repository, CC BY 4.0. The copy here is made from the R package mlbench.
func Letter() *Table {
	z, err := gzip.NewReader(bytes.NewReader(letterBytes))
	if err != nil {
		panic("dataset: damaged embedded data")
	}
	raw, err := io.ReadAll(z)
	if err != nil || len(raw) != letterRows*17 {
		panic("dataset: damaged embedded data")
	}
	t := &Table{Name: "letter", Inputs: letterInputs, Target: "letter", Train: letterTrain,
		X: blas.NewGeneral[float64](letterRows, 16), Y: make([]float64, letterRows)}
	classes := make([]string, 26)
	for k := range classes {
		classes[k] = string(rune('A' + k))
	}
	t.Coding = NewCoding(classes)
	for i, c := range raw[:letterRows] {
		t.Y[i] = float64(c - 'A')
	}
	for j := range 16 {
		for i, v := range raw[(j+1)*letterRows : (j+2)*letterRows] {
			t.X.Data[i*16+j] = float64(v)
		}
	}
	return t
}
