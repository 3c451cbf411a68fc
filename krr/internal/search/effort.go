package search

import (
	"github.com/rffgo/rff/internal/learn"
	"github.com/rffgo/rff/sampling"
)

// effort is how much work learning is.
type effort uint8

const (
	thorough effort = iota
	manyRows        // a fast search of the metric, on as many rows as a thorough one
	wide            // a fast search of the metric, training on all rows that fit
	wideHalf        // half of the epochs
	wideQuarter
	fast
)

// few and many are the efforts to choose from, most work first, with few rows and with
// many, of which the training of the frequencies gains more than of epochs.
var few, many = []effort{thorough, manyRows, fast}, []effort{wide, wideHalf, wideQuarter, fast}

// effortShare is the most of what is left that an effort may take: room for twice the
// features after a thorough one.
var effortShare = [...]float64{thorough: 0.6, manyRows: 1, wide: 0.6, wideHalf: 1, wideQuarter: 1, fast: 1}

const (
	// manyLearned is the rows that a thorough search learns on.
	manyLearned = 32000
	// fewLearned is those of a fast one.
	fewLearned = 8000
	// learnBytes bounds the rows that are learned on.
	learnBytes = 64 << 20
)

// refineEpochs of the training of frequencies: three times the default of the
// sampler, since the search before it costs more than they do.
const refineEpochs = 60

// wide says that the training of frequencies sees more rows than the search before it.
func (e effort) wide() bool { return e == wide || e == wideHalf || e == wideQuarter }

// epochs of the training of frequencies.
func (e effort) epochs() int {
	switch e {
	case wideHalf:
		return refineEpochs / 2
	case wideQuarter:
		return refineEpochs / 4
	}
	return refineEpochs
}

// metricRows is the most rows that the search for the metric sees.
func (e effort) metricRows() int {
	if e == thorough || e == manyRows {
		return manyLearned
	}
	return fewLearned
}

// rows is the most rows to learn on, of that many numbers each.
func (e effort) rows(width int) int {
	if e.wide() {
		return max(manyLearned, learnBytes/(8*width))
	}
	return e.metricRows()
}

// metric returns the search for the metric, of rows of that many numbers.
func (e effort) metric(width int) sampling.Metric {
	return sampling.Metric{Fast: e != thorough, Rows: e.rows(width)}
}

// preset returns what the search for the metric does.
func (e effort) preset() learn.Effort {
	p := learn.Fast
	if e == thorough {
		p = learn.Thorough
	}
	p.Most = e.metricRows()
	return p
}

// effortFor returns the most effort that a learner may take of the seconds left,
// whatever that of the candidate before was.
func (s *Search) effortFor(c candidate, z size, left float64) effort {
	c.effort = fast // of the metric, with which refined begins
	if c.learned != "refined" {
		return fast
	}
	efforts := few
	if z.rows > manyLearned {
		efforts = many
	}
	for _, c.effort = range efforts {
		if s.learningCost(c, z) <= left*effortShare[c.effort] {
			break
		}
	}
	return c.effort
}

// learningCost returns the estimated seconds of learning features, as the sampler
// counts what it does.
func (s *Search) learningCost(c candidate, z size) float64 {
	e := c.effort.preset()
	task := learn.Task{Rows: z.rows, In: s.in, Targets: s.targets, Features: z.features, Jumps: s.jumps}
	if c.effort.wide() {
		task.Features = min(task.Features, 2*learn.Compared(e.Most))
	}
	fits, work := e.Fits(task), 0.0
	task.Features = z.features
	if c.learned == "refined" {
		e.Most = c.effort.rows(s.width())
		training, descent := e.Training(task, c.effort.epochs())
		fits, work = append(fits, training...), descent
	}
	for _, f := range fits {
		work += float64(f.Count * shape{s.in, s.targets, f.Features, f.Rows, f.Held, f.Lambdas, false}.work())
	}
	return seconds(work)
}

// width is the numbers of a row.
func (s *Search) width() int { return s.in + s.targets + 1 }
