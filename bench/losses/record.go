package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/rffgo/rff/internal/atomicfile"
)

// record is what has been measured.
type record struct {
	Accuracy []accuracy `json:"accuracy"`
	Solved   []solved   `json:"solved"`
	// Choices are candidates among which rules choose.
	Choices []candidate `json:"choices"`

	path string
}

// accuracy is one way of fitting the classes of a division of a set, on rows not seen.
type accuracy struct {
	Set       string  `json:"set"`
	Split     int     `json:"split"`
	Rows      int     `json:"rows"` // that were fitted
	Features  int     `json:"features"`
	Way       string  `json:"way"`
	Lambda    float64 `json:"lambda"`
	Accuracy  float64 `json:"accuracy"`
	Balanced  float64 `json:"balanced"` // mean recall of the classes
	LogLoss   float64 `json:"logLoss"`
	Processor float64 `json:"processor"` // seconds of a thread
	Passes    int     `json:"passes"`    // over the rows, of the whole path of λ

	// Of the rows predicted, whose number is 0 in older results: right where paired is wrong,
	// and wrong where it is right.
	Tested int `json:"tested,omitempty"`
	Better int `json:"better,omitempty"`
	Worse  int `json:"worse,omitempty"`

	passes float64 // of means
}

func read(path string) (*record, error) {
	r := &record{path: path}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(text, r)
	}
	return r, err
}

func (r *record) write() error {
	return atomicfile.Write(r.path, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		return e.Encode(r)
	})
}

const head = `# Which loss has the best probabilities

Squares calibrated on rows left out by folds or one by one, hard rows counted 2, 4 or 10 times, squared hinge calibrated on a fold, and logistic or softmax, on rows that the fit has not seen: half of the rows of a set, at most %d, are fitted and at most %d others predicted, with %d random features of the Gaussian kernel, and, where a line says so, of sets of very many rows at most %d with %d. λ is chosen by held-out rows of the loss itself, or of squares by the log loss of calibrated probabilities, and the bandwidth that is best for squares. Means over the divisions, with errors in %%, their differences from those of hard:2 on the same rows with the standard error of the mean, passes of the whole path of λ, and processor seconds of the fit with its choice of λ, on a machine with other work. ` + "`RFF_DATA=DIR go -C bench run ./losses`" + ` measures and writes this page; a test holds it to the committed results.
`

const allHead = `
Geometric means over the fits, each divided by what squares calibrated by folds have:

| loss | log loss | error | seconds | least log loss |
|---|---:|---:|---:|---:|
`

const verdictText = `
**Squares are the default by their cost.** Who wants probabilities takes ` + "`--loss logistic`" + `, which has the least log loss on average and on average a smaller error than squares, for several times the seconds. Squares calibrated on rows left out one by one are hardly better than on rows left out by folds: they take a second pass over the rows, and scores by folds are those of rows kept in the first one, so folds stay the default. λ is chosen by the log loss of the rows left out where squares are calibrated, and by the loss itself otherwise.

**Hard rows stay.** They would have gone if another loss had done as much for a few times their cost. Counted twice, with two classes they have about the errors of logistic and squared hinge, on covtype and kddcup99 with many features smaller ones, for a fraction of the seconds, which is why ` + "`--auto`" + ` can afford to try them. With many classes both the log loss and the error of the other losses are far smaller.
`

const stepsText = `
**Long steps on kept features pay with many classes.** Fits in which such a step ends at a hundredth of its gain, and renews its preconditioner every s/2 steps over targets, take of the processor seconds of fits at a tenth and s/4: softmax of letter with 512 features 0.76, squared hinge of it 0.72, logistic regression with 1024 features 0.89 of adult and 0.99 of eeg, squared hinge of eeg 1.04, and Huber's loss of cpuact 0.92.

<!-- from: rff fit --data letter --loss logistic --features 512 --lambda 1e-5, with squared-hinge at 1e-6, adult and eeg with 1024 features, eeg at 1e-6, and cpuact with huber:2 at 1e-6, each in the order A-B-B-A, by the constants of krr/internal/cg/kept.go (stepTolerance and renewed) and by .1 and 4, at c3f4a1ed -->

**A preconditioner is renewed when steps are slow.** Fits that renew it when at the pace so far more steps are to come than that costs take of the processor seconds of fits that renew it after so many steps: Poisson's loss of cpuact 0.55 with 1024 features and 0.86 with 512, of blogfeedback 1.03 with 256, squared hinge of eeg 0.78, logistic regression of eeg 0.95 and of adult 1.00, Huber's loss of cpuact 0.96, and softmax of letter 1.02.

<!-- from: the same commands with poisson at 1e-6, each in the order A-B-B-A, at fa5eaefc and at the commit before it -->
`

const eachHead = `
| set | features | divisions | loss | log loss | error | above hard:2 | balanced error | passes | seconds |
|---|---:|---:|---|---:|---:|---:|---:|---:|---:|
`

// fit is what all ways are measured on.
type fit struct {
	set      string
	features int
}

// means returns the mean over the divisions of every fit and way, with their number in Split.
func (r *record) means() map[fit]map[string]accuracy {
	means := map[fit]map[string]accuracy{}
	for _, a := range r.Accuracy {
		at := fit{a.Set, a.Features}
		if means[at] == nil {
			means[at] = map[string]accuracy{}
		}
		m := means[at][a.Way]
		was := float64(m.Split)
		mean := func(m, v float64) float64 { return (m*was + v) / (was + 1) }
		m.Split++
		m.LogLoss, m.Accuracy, m.Balanced = mean(m.LogLoss, a.LogLoss), mean(m.Accuracy, a.Accuracy), mean(m.Balanced, a.Balanced)
		m.Tested, m.Better, m.Worse = m.Tested+a.Tested, m.Better+a.Better, m.Worse+a.Worse
		m.Processor, m.passes = mean(m.Processor, a.Processor), mean(m.passes, float64(a.Passes))
		means[at][a.Way] = m
	}
	return means
}

// above returns by how many points the error is above that of paired, with the standard error
// of the differences of single rows.
func (a *accuracy) above() string {
	n, differ := float64(a.Tested), float64(a.Worse-a.Better)
	if a.Better+a.Worse == 0 {
		return ""
	}
	return fmt.Sprintf("%+.2f ± %.2f", 100*differ/n, 100*math.Sqrt(float64(a.Better+a.Worse)-differ*differ/n)/n)
}

// table returns the page.
func (r *record) table() string {
	var text strings.Builder
	fmt.Fprintf(&text, head, mostTrain, mostTest, features, mostWide, wideFeatures)
	means := r.means()
	text.WriteString(verdict(means))
	text.WriteString(eachHead)
	for _, at := range slices.SortedFunc(maps.Keys(means), func(a, b fit) int {
		return cmp.Or(strings.Compare(a.set, b.set), cmp.Compare(a.features, b.features))
	}) {
		for _, way := range ways() {
			m := means[at][way.name]
			fmt.Fprintf(&text, "| %s | %d | %d | %s | %.4f | %.2f | %s | %.2f | %.0f | %.2f |\n", at.set, at.features, m.Split, way.name,
				m.LogLoss, 100*(1-m.Accuracy), m.above(), 100*(1-m.Balanced), m.passes, m.Processor)
		}
	}
	text.WriteString(choicesTable(r.Choices))
	text.WriteString(solvedHead)
	for _, s := range r.Solved {
		fmt.Fprintf(&text, "| %s | %d | %s | %s | %.0e | %.1e | %d | %s | %.0e | %.1e | %.2f | %.2f | %.2f |\n", s.Set, s.Rows, s.Loss,
			s.apart(), s.Tolerance, s.Above, s.Passes, s.Solver, s.Theirs, s.TheirAbove, s.Ours, s.Rival, s.Ours/s.Rival)
	}
	return text.String() + stepsText
}

// verdict returns the table of all fits together: of every way, the geometric means over the
// fits of what it has by what squares calibrated by folds have, and how often its log loss is
// least.
func verdict(means map[fit]map[string]accuracy) string {
	var text strings.Builder
	text.WriteString(allHead)
	for _, way := range ways() {
		var loss, wrong, seconds float64
		least := 0
		for _, by := range means {
			own, base := by[way.name], by[ways()[0].name]
			n := float64(len(means))
			loss += math.Log(own.LogLoss/base.LogLoss) / n
			wrong += math.Log((1-own.Accuracy)/(1-base.Accuracy)) / n
			seconds += math.Log(own.Processor/base.Processor) / n
			best := true
			for _, other := range by {
				best = best && own.LogLoss <= other.LogLoss
			}
			if best {
				least++
			}
		}
		fmt.Fprintf(&text, "| %s | %.3f | %.3f | %.1f | %d of %d |\n", way.name, math.Exp(loss), math.Exp(wrong), math.Exp(seconds), least, len(means))
	}
	return text.String() + verdictText
}
