package sampling

import (
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/internal/learn"
	"github.com/rffgo/rff/internal/trial"
)

func init() { hook.Work = work }

// work is inside.Work.
func work(s any, t inside.Task) float64 {
	switch s := s.(type) {
	case interface{ work(inside.Task) float64 }:
		return s.work(t)
	case interface {
		Work(rows, inputs, targets, features int) float64
	}: // of a program
		return s.Work(t.Rows, t.In, t.Targets, t.Features)
	}
	return 0
}

// work returns the multiply-adds of the search for the metric.
func (s Metric) work(t inside.Task) float64 {
	if t.Another {
		return reading(t)
	}
	return reading(t) + fitsWork(t, s.effort().Fits(t)) + s.roots(t)
}

// readNumber is the work of reading, drawing, sorting and scaling a number of the rows that are learned on, most of
// which is for one worker: 20 ns.
const readNumber = 1800

func reading(t inside.Task) float64 { return float64(readNumber * float64(t.Rows) * float64(t.In)) }

// eigenWork times d³ is the work of the eigenvalues and vectors of a d×d matrix of gradients, few of which
// count. Half of it are products with a vector, which wait for memory. One worker takes 8 to 16 times d³
// multiply-adds of products of matrices with 2,000 inputs. For 100 inputs, where most eigenvalues count,
// it takes up to 100 times d³, which is little beside the fits.
const eigenWork = 12

// roots returns the work of the roots of average gradient outer products. There are none for a scale per
// input.
func (s Metric) roots(t inside.Task) float64 {
	if s.Diagonal {
		return 0
	}
	d := float64(t.In)
	return s.effort().Products() * eigenWork * float64(d*d*d)
}

// work returns the multiply-adds of the search for the metric and of the training.
func (s Refined) work(t inside.Task) float64 {
	metric, task := s.Metric.effort(), t
	if s.MetricRows > 0 && s.MetricRows < metric.Most {
		metric.Most = s.MetricRows
		task.Features = min(task.Features, 2*learn.Compared(s.MetricRows))
	}
	all := s.Metric.effort()
	training, descent := all.Training(t, s.epochs(min(all.Most, t.Rows)))
	if !t.Another {
		training = append(metric.Fits(task), training...)
		descent += s.Metric.roots(t)
	}
	return reading(t) + fitsWork(t, training) + descent
}

func fitsWork(t inside.Task, fits []learn.Fits) (work float64) {
	for _, f := range fits {
		work += float64(f.Count * trial.Size{In: t.In, Targets: t.Targets, Features: f.Features, Train: f.Rows, Valid: f.Held, Lambdas: f.Lambdas, Precision: f.Precision}.Work())
	}
	return work
}
