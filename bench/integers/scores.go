package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// comparison is what the scores take of a file of rff compare.
type comparison struct {
	Score string
	Rows  []struct{ Mean, SD float64 }
	Cells []struct {
		Score float64
		Finer string
	}
}

// scores writes the scores on the sets of a folder.
func scores(w io.Writer, folder string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*.f64.json"))
	if err != nil {
		return err
	}
	fmt.Fprint(w, "\n## Scores\n\nThe mean of five repetitions of `rff compare --samplers rff --features 512 --rows 10000 --reps 5`, with λ by cross-validation; the deviation is between draws of the features. Every precision has the same draws, and the largest difference is that of one repetition. Finer counts the repetitions in which rounding errors of int8 hid the λ that was chosen, so that the fit went up to int12 (or, from int12, to float64).\n\n| set | score | float64 | deviation | int12 less float64 | largest | finer | int8 less float64 | largest | finer |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for _, file := range files {
		set := strings.TrimSuffix(file, ".f64.json")
		var of [3]comparison
		for i, p := range []string{"f64", "int12", "int8"} {
			text, err := os.ReadFile(set + "." + p + ".json")
			if err == nil {
				err = json.Unmarshal(text, &of[i])
			}
			if err != nil {
				return err
			}
		}
		f64 := of[0].Rows[0]
		fmt.Fprintf(w, "| %s | %s | %.4g | %.2g |", filepath.Base(set), of[0].Score, f64.Mean, f64.SD)
		for _, c := range of[1:] {
			finer, largest := 0, 0.0
			for i, cell := range c.Cells {
				if d := cell.Score - of[0].Cells[i].Score; d*d > largest*largest {
					largest = d
				}
				if cell.Finer != "" {
					finer++
				}
			}
			fmt.Fprintf(w, " %+.2g | %+.2g | %d |", c.Rows[0].Mean-f64.Mean, largest, finer)
		}
		fmt.Fprintln(w)
	}
	return nil
}
