package sampling

import (
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/learn"
	"github.com/rffgo/rff/internal/stream"
	"github.com/rffgo/rff/internal/trial"
)

// work is inside.Work.
func work(s any, t inside.Task) float64 {
	if w, ok := s.(interface{ work(inside.Task) float64 }); ok {
		return w.work(t)
	}
	return 0
}

// work returns the multiply-adds of picking landmarks, of making their sections
// orthonormal, and of learning bandwidths.
func (s Nystrom) work(t inside.Task) float64 {
	m, in := float64(t.Features), float64(t.In)
	work := float64(3 * m * m * m)
	if s.Pick != "" && s.Pick != "uniform" {
		// Half of pool·m² multiply-adds, a row at a time and not in blocks: at a tenth
		// of the rate.
		pool := min(float64(max(s.Multiple, 10))*m, float64(t.Rows))
		work += float64(1.3*pool*m*(in+20)) + float64(5*pool*m*m) + float64(150*pool*m)
	}
	if s.Metric {
		work += s.metricWork(t)
	}
	return work
}

// metricWork returns the multiply-adds of learning bandwidths: three fits of each climb, as
// a rule, and gradients between, a term at a time and not in blocks.
func (s Nystrom) metricWork(t inside.Task) float64 {
	rows, marks := min(t.Rows, metricRows+metricRows/4), min(t.Features, metricLandmarks)
	terms := float64(min(rows, metricGradients)) * float64(marks) * float64(t.In) * float64(1+t.Targets)
	own := float64(float64(3*(metricRounds+1)) * Nystrom{}.work(inside.Task{Features: marks}))
	return float64(float64(4*metricRounds)*terms) + own + fitsWork(t, []learn.Fits{{Count: 3 * (metricRounds + 1),
		Rows: rows * 4 / 5, Held: rows / 5, Features: marks, Lambdas: len(trial.Lambdas(stream.Float64)[4:])}})
}

// work returns the multiply-adds of the search for the metric.
func (s Metric) work(t inside.Task) float64 { return fitsWork(t, s.effort().Fits(t)) }

// work returns the multiply-adds of the search for the metric and of the training.
func (s Refined) work(t inside.Task) float64 {
	metric, task := s.Metric.effort(), t
	if s.MetricRows > 0 && s.MetricRows < metric.Most {
		metric.Most = s.MetricRows
		task.Features = min(task.Features, 2*learn.Compared(s.MetricRows))
	}
	all := s.Metric.effort()
	training, descent := all.Training(t, s.epochs(min(all.Most, t.Rows)))
	return fitsWork(t, append(metric.Fits(task), training...)) + descent
}

func fitsWork(t inside.Task, fits []learn.Fits) (work float64) {
	for _, f := range fits {
		work += float64(f.Count * trial.Size{In: t.In, Targets: t.Targets, Features: f.Features, Train: f.Rows, Valid: f.Held, Lambdas: f.Lambdas}.Work())
	}
	return work
}
