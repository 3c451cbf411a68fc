package liu

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rffgo/rff/bench/writeup"
)

// band is what counts as the paper's accuracy reproduced: a mean within so many points
// of the paper's.
type band struct {
	data     string
	methods  []string
	from, to int // frequencies per input
	points   float64
}

// bands allow for what was found before: the row split of EEG is another, and the
// surrogate is low there from 32d.
var bands = []band{
	{"magic04", []string{plain, qmc, leverage, surrogate}, 1, 64, 0.5},
	{"eeg", []string{plain, qmc, leverage}, 1, 128, 0.8},
	{"eeg", []string{surrogate}, 1, 128, 1.2},
	{"covtype", []string{plain, qmc, leverage, surrogate}, 1, 8, 0.5},
}

// bandTable says which bands hold, method by method.
func bandTable(rows []*row) *writeup.Table {
	t := &writeup.Table{Caption: "What reproduces",
		Head: []string{"data", "method", "s/d", "band, points", "reps", "largest difference", "at s/d", "within", "outside"}}
	for _, b := range bands {
		for _, method := range b.methods {
			name, _ := longName(method)
			var worst *row
			within, n, least := 0, 0, math.MaxInt
			var outside []string
			for _, r := range rows {
				if r.data != b.data || r.method != method || r.perInput < b.from || r.perInput > b.to || r.missing != "" {
					continue
				}
				n, least = n+1, min(least, len(r.accuracy))
				d := math.Abs(r.mean - r.paper.Accuracy)
				if d <= b.points {
					within++
				} else {
					outside = append(outside, fmt.Sprintf("%dd", r.perInput))
				}
				if worst == nil || d > math.Abs(worst.mean-worst.paper.Accuracy) {
					worst = r
				}
			}
			if n == 0 {
				continue
			}
			t.Rows = append(t.Rows, []writeup.Entry{writeup.Word(b.data), writeup.Word(name), writeup.Word(fmt.Sprintf("%d to %d", b.from, b.to)), writeup.Number("%.1f", b.points), writeup.Number("%.0f", float64(least)),
				writeup.Number("%+.2f", worst.mean-worst.paper.Accuracy), writeup.Number("%.0f", float64(worst.perInput)), writeup.Word(fmt.Sprintf("%d of %d", within, n)), writeup.Word(strings.Join(outside, ", "))})
		}
	}
	return t
}

// allowed returns the band of a row in points; 0: there is none.
func allowed(r *row) float64 {
	for _, b := range bands {
		if b.data == r.data && slices.Contains(b.methods, r.method) && b.from <= r.perInput && r.perInput <= b.to {
			return b.points
		}
	}
	return 0
}

// held says in words which bands hold.
func held(rows []*row) string {
	var outside []string
	n := 0
	for _, r := range rows {
		points := allowed(r)
		if r.missing != "" || points == 0 {
			continue
		}
		n++
		if d := r.mean - r.paper.Accuracy; math.Abs(d) > points {
			name, _ := longName(r.method)
			outside = append(outside, fmt.Sprintf("%s %s %dd by %+.2f", r.data, name, r.perInput, d))
		}
	}
	if n == 0 {
		return ""
	}
	text := fmt.Sprintf(" Of the bands of the second table %d of %d accuracies are inside", n-len(outside), n)
	if len(outside) > 0 {
		text += "; outside are " + strings.Join(outside, ", ")
	}
	return text + "."
}
