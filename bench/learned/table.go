package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/rffgo/rff/cmd/rff/compare"
	"github.com/rffgo/rff/internal/atomicfile"
)

// cells are those that are done.
type cells []cell

func (done cells) has(c cell) bool {
	for _, d := range done {
		if d.Set == c.Set && d.Method == c.Method && d.Seed == c.Seed {
			return true
		}
	}
	return false
}

// wanted are the largest errors that are good enough, in %.
var wanted = map[string]map[string]float64{
	"eeg":     {"metric": 9.0, "refined:epochs=20": 6.5, "refined:epochs=60": 5.5},
	"letter":  {"metric": 8.6, "refined:epochs=20": 5.8, "refined:epochs=60": 5.0},
	"cpuact":  {"metric": 14.0},
	"cod-rna": {"metric": 4.0},
	"covtype": {"refined:epochs=60": 16},
}

// write writes the document.
func (done cells) write(path string, names, methods []string) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		var b strings.Builder
		fmt.Fprintf(&b, `# Learned features

Test error in %%: of classes, for cpuact the root mean square error in standard
deviations of the target. Mean ± standard deviation of %d divisions of the rows, seeds
1 to %d; 16 frequencies per input, at most 10,000 training rows (covtype 20,000) and
20,000 test rows; inputs scaled robustly. λ of the last fit by cross-validation on the
training rows, on which everything else is chosen too; rff has the best of 13 bandwidths at
full size. In brackets what is aimed at; "1 of 3" has one division of three, – none. NAME~P
has P %% of the training rows' targets exchanged: with all of them exchanged there is nothing
to learn, and plain features are the right answer. The cells are in bench/learned/results.jsonl.

    RFF_DATA=DIR go -C bench run ./learned -sets %s -methods '%s'

%s. The errors do not depend on the machine.

`, seedsOf(done), seedsOf(done), strings.Join(names, ","), strings.Join(methods, ";"), compare.Machine())
		fmt.Fprintf(&b, "| set | inputs | training rows | %s |\n|---|---|---|%s\n", strings.Join(methods, " | "), strings.Repeat("---|", len(methods)))
		for _, name := range names {
			var row []string
			var any cell
			for _, m := range methods {
				var sum, ss, n float64
				for _, c := range done {
					if c.Set == name && c.Method == m {
						any, n, sum = c, n+1, sum+c.Error
					}
				}
				for _, c := range done {
					if c.Set == name && c.Method == m {
						ss += (c.Error - sum/n) * (c.Error - sum/n)
					}
				}
				text := "–"
				if n > 0 {
					text = fmt.Sprintf("%.2f ± %.2f", sum/n, math.Sqrt(ss/max(1, n-1)))
				}
				if all := float64(seedsOf(done)); n > 0 && n < all {
					text = fmt.Sprintf("%.2f, %g of %g", sum/n, n, all)
				}
				if most, ok := wanted[name][m]; ok {
					text += fmt.Sprintf(" (≤ %g)", most)
				}
				row = append(row, text)
			}
			fmt.Fprintf(&b, "| %s | %d | %d | %s |\n", name, any.Inputs, any.Train, strings.Join(row, " | "))
		}
		_, err := io.WriteString(w, b.String())
		return err
	})
}

func seedsOf(done cells) (n uint64) {
	for _, c := range done {
		n = max(n, c.Seed)
	}
	return n
}
