package roofline

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
)

// Result is what a Case measured, one JSON object per line.
type Result struct {
	Op            string  `json:"op"`
	N             int     `json:"n"`
	D             int     `json:"d"`
	S             int     `json:"s"`
	DType         string  `json:"dtype"`
	Workers       int     `json:"workers"`
	Form          string  `json:"form"`
	Backend       string  `json:"backend"`
	SecondsMin    float64 `json:"seconds_min"`
	SecondsMedian float64 `json:"seconds_median"`
	NsPerValue    float64 `json:"ns_per_value"` // minimum, per element of the result or of Z
	GFlops        float64 `json:"gflops"`       // of the multiply-add slots the operation needs
	RoofPercent   float64 `json:"roof_percent"` // of the fastest multiply-adds seen in this run
	Residual      float64 `json:"residual"`     // see the operation
}

// Runner is a Case with its data in place.
type Runner struct {
	Case
	path string
	job  job
	roof func() float64 // multiply-adds per second, one short measurement
}

// job is one operation of any element type.
type job struct {
	prepare  func() // before each run, not timed; or nil
	run      func()
	slots    float64 // multiply-add slots that run needs at least
	values   float64 // elements it makes
	residual func() float64
}

// New makes the data of c, random from a fixed seed.
func New(c Case) (*Runner, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	e, path, err := c.engine()
	if err != nil {
		return nil, err
	}
	r := &Runner{Case: c, path: path}
	if c.DType == "f32" {
		r.job = newJob[float32](c, e)
		r.roof = func() float64 { return peak[float32](c.Workers) }
	} else {
		r.job = newJob[float64](c, e)
		r.roof = func() float64 { return peak[float64](c.Workers) }
	}
	return r, nil
}

// Once runs the operation once and returns its time.
func (r *Runner) Once() time.Duration {
	if r.job.prepare != nil {
		r.job.prepare()
	}
	start := time.Now()
	r.job.run()
	return time.Since(start)
}

// several runs the operation n times and returns their time.
func (r *Runner) several(n int) time.Duration {
	if n == 1 {
		return r.Once()
	}
	start := time.Now()
	for range n {
		r.job.run()
	}
	return time.Since(start)
}

// Values returns the number of elements that one run makes.
func (r *Runner) Values() float64 { return r.job.values }

// Measure runs every runner reps times, in turn, with a measurement of the roof
// before each, so that a drift of the machine touches all alike. The roof is
// the fastest seen, over all instruction sets: that of the machine, not of the
// path.
func Measure(ctx context.Context, runners []*Runner, reps int) ([]Result, error) {
	times := make([][]float64, len(runners))
	batches := make([]int, len(runners))
	roofs := map[[2]any]float64{}
	for i, r := range runners {
		first := r.Once() // pages, packing, caches
		batches[i] = 1
		if r.job.prepare == nil && first < time.Millisecond {
			// Short work is timed many runs at once: the clock itself takes 50 ns.
			batches[i] = int(time.Millisecond/max(first, time.Microsecond)) + 1
		}
	}
	for range max(1, reps) {
		for i, r := range runners {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			key := [2]any{r.DType, r.Workers}
			roofs[key] = max(roofs[key], r.roof())
			times[i] = append(times[i], r.several(batches[i]).Seconds()/float64(batches[i]))
		}
	}
	results := make([]Result, len(runners))
	for i, r := range runners {
		slices.Sort(times[i])
		least, roof := times[i][0], roofs[[2]any{r.DType, r.Workers}]
		if roof <= 0 || least <= 0 {
			return nil, errNoRoof
		}
		results[i] = Result{Op: r.Op, N: r.N, D: r.D, S: r.S, DType: r.DType, Workers: r.Workers, Form: r.Form, Backend: r.path,
			SecondsMin: least, SecondsMedian: times[i][len(times[i])/2],
			NsPerValue: 1e9 * least / r.job.values, GFlops: 2e-9 * r.job.slots / least,
			RoofPercent: 100 * r.job.slots / least / roof, Residual: r.job.residual()}
	}
	return results, nil
}

// Roof returns the multiply-adds per second that this machine reaches with that
// many workers, in one short measurement.
func Roof[T blas.Float](workers int) float64 { return peak[T](workers) }

// peak measures for some two milliseconds: long enough for the clock to be read
// well, short beside the operations.
func peak[T blas.Float](workers int) float64 {
	k := asm.Native[T]()
	const rounds = 1 << 12
	var wg sync.WaitGroup
	rates := make([]float64, workers)
	for w := range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for begin := time.Now(); time.Since(begin) < 2*time.Millisecond; {
				start, done := time.Now(), 0
				for range 8 {
					done += k.Peak(rounds)
				}
				rates[w] = max(rates[w], float64(done)/time.Since(start).Seconds())
			}
		}()
	}
	wg.Wait()
	var sum float64
	for _, r := range rates {
		sum += r
	}
	return sum
}
