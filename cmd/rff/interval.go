package main

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/krr"
)

// readLevel reads a probability, in percent or as a fraction.
func readLevel(text string) (float64, error) {
	if digits, percent := strings.CutSuffix(text, "%"); percent {
		text = strings.TrimSpace(digits) + "e-2"
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v > 0 && v < 1) {
		return 0, errors.New("must be a probability between 0 and 1, such as 90% or 0.9")
	}
	return v, nil
}

// drawnLevels are the levels whose coverage a page draws.
var drawnLevels = []float64{.5, .6, .7, .8, .9, .95, .99}

// spans are the intervals of some rows, or their sets of labels.
type spans struct {
	low, high mat.Dense
	sets      [][]string
}

// setSpans writes the spans of the rows of x to to, one element per level.
func setSpans(to []spans, m *krr.Model, x mat.Matrix, levels []float64) error {
	if m.Info().Schema.Target.Classes != nil {
		sets, err := fits.LabelSets(m, x, levels)
		for l := range sets {
			to[l].sets = sets[l]
		}
		return err
	}
	var low, high []*mat.Dense
	for l := range to {
		to[l].low.Reset()
		to[l].high.Reset()
		low, high = append(low, &to[l].low), append(high, &to[l].high)
	}
	return fits.Intervals(m, low, high, x, levels)
}

// possible returns the level that is asked for. If none is, it returns those of levels for which
// the model has enough rows.
func possible(m *krr.Model, asked float64, levels []float64) []float64 {
	if asked > 0 {
		return []float64{asked}
	}
	in, _ := m.Dims()
	return slices.DeleteFunc(slices.Clone(levels), func(level float64) bool {
		return m.Info().Intervals == 0 || setSpans(make([]spans, 1), m, mat.NewDense(1, in, nil), []float64{level}) != nil
	})
}

// betweenLabels separates the labels of a set.
const betweenLabels = "|"

// write writes the span of row i: the two ends of an interval, or one field with a set of
// labels. labels has the text of each of the classes. The set is a line of CSV with betweenLabels
// for commas, so that a label that has one is still one label.
func (s *spans) write(c predictions, i int, classes, labels []string) {
	if classes == nil {
		c.numbers(s.low.RawRowView(i))
		c.numbers(s.high.RawRowView(i))
		return
	}
	var set []string
	for _, class := range s.sets[i] {
		label := labels[slices.Index(classes, class)]
		if strings.Contains(label, betweenLabels) || strings.HasPrefix(label, `"`) {
			label = `"` + strings.ReplaceAll(label, `"`, `""`) + `"`
		}
		set = append(set, label)
	}
	c.text(strings.Join(set, betweenLabels))
}

// holding is how often spans hold the truth, and how large they are.
type holding struct{ weight, inside, size, empty, unbounded float64 }

// mean is the mean size of bounded spans.
func (h *holding) mean() float64 { return h.size / (h.weight - h.unbounded) }

// add counts the span of row i. truth is the row's target or the index of its class, and w is
// its weight.
func (h *holding) add(s *spans, i int, classes []string, truth, w float64) {
	inside, size := false, 0.0
	if classes == nil {
		low, high := s.low.At(i, 0), s.high.At(i, 0)
		inside, size = low <= truth && truth <= high, high-low
	} else {
		set := s.sets[i]
		inside, size = slices.Contains(set, classes[int(truth)]), float64(len(set))
		if len(set) == 0 {
			h.empty += w
		}
	}
	h.weight += w
	if math.IsInf(size, 1) {
		h.unbounded += w
	} else {
		h.size += float64(w * size)
	}
	if inside {
		h.inside += w
	}
}

// tell says how often spans of that level held the truth.
func (h *holding) tell(say func(format string, a ...any), level float64, classes bool) {
	percent := func(v float64) float64 { return 100 * v / h.weight }
	if !classes {
		open := ""
		if h.unbounded > 0 {
			open = fmt.Sprintf(", but for %.2f %% without ends, of groups with too few rows of the fit", percent(h.unbounded))
		}
		say("intervals of %g %% hold %.2f %% of the targets; their mean width is %.4g%s", 100*level, percent(h.inside), h.mean(), open)
		return
	}
	say("sets of %g %% hold %.2f %% of the labels; they have %.2f labels on average, and %.2f %% have none", 100*level, percent(h.inside), h.size/h.weight, percent(h.empty))
}

// mostGroupsTold is the most groups that a line names.
const mostGroupsTold = 12

// tellGroups says how often spans held the truth in each group of rows.
func tellGroups(say func(format string, a ...any), by inside.Grouping, groups map[float64]*holding) {
	var text []string
	for _, of := range slices.Sorted(maps.Keys(groups)) {
		h := groups[of]
		text = append(text, fmt.Sprintf("%s %.2f %%", by.Text(of), 100*h.inside/h.weight))
	}
	more := ""
	if len(text) > mostGroupsTold {
		more = fmt.Sprintf(" and %d groups more", len(text)-mostGroupsTold)
		text = text[:mostGroupsTold]
	}
	say("in the groups of %s they hold %s%s", by.Name, strings.Join(text, ", "), more)
}
