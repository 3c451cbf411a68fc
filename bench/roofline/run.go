package roofline

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
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
	RoofPercent   float64 `json:"roof_percent"` // see Measure
	Residual      float64 `json:"residual"`     // see the operation
}

// Runner is a Case with its data in place.
type Runner struct {
	Case
	path string
	job  job
	peak func(float64) slotRate // the roof, measured for about so many seconds
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
	if c.Op == "backward" { // always pairs on micro-kernels: let the result say so
		c.Form = "pair"
		if !e.Backend.Exact() {
			path = "native-" + asm.Native[float64]().ISA
		}
	}
	r := &Runner{Case: c, path: path}
	if c.DType == "f32" {
		r.job = newJob[float32](c, e)
		r.peak = func(seconds float64) slotRate { return peak[float32](c.Workers, seconds) }
	} else {
		r.job = newJob[float64](c, e)
		r.peak = func(seconds float64) slotRate { return peak[float64](c.Workers, seconds) }
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

// Measure runs every runner reps times, in turn, so that drift of the machine
// affects all alike. Before and after each run it measures the roof, in total for
// as long as the run takes, from 4 to 200 ms: the clock of a shared machine changes
// by several percent within seconds, and other load slows long and short runs
// differently. RoofPercent is the median, over the runs, of the rate divided by the
// roof around it. The roof is that of the machine's widest instructions, not of the
// path.
func Measure(ctx context.Context, runners []*Runner, reps int) ([]Result, error) {
	times := make([][]float64, len(runners))
	batches, last := make([]int, len(runners)), make([]float64, len(runners))
	shares := make([][]float64, len(runners))
	for i, r := range runners {
		first := r.Once() // pages, packing, caches
		last[i] = first.Seconds()
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
			length := min(mostRoof, max(leastRoof, last[i]*float64(batches[i]))) / 2
			before := r.peak(length)
			seconds := r.several(batches[i]).Seconds() / float64(batches[i])
			after := r.peak(length)
			roof := (before.slots + after.slots) / (before.seconds + after.seconds)
			if !(roof > 0) || seconds <= 0 {
				return nil, errNoRoof
			}
			last[i], times[i] = seconds, append(times[i], seconds)
			shares[i] = append(shares[i], r.job.slots/seconds/roof)
		}
	}
	results := make([]Result, len(runners))
	for i, r := range runners {
		slices.Sort(times[i])
		slices.Sort(shares[i])
		least := times[i][0]
		results[i] = Result{Op: r.Op, N: r.N, D: r.D, S: r.S, DType: r.DType, Workers: r.Workers, Form: r.Form, Backend: r.path,
			SecondsMin: least, SecondsMedian: times[i][len(times[i])/2],
			NsPerValue: 1e9 * least / r.job.values, GFlops: 2e-9 * r.job.slots / least,
			RoofPercent: 100 * shares[i][len(shares[i])/2], Residual: r.job.residual()}
	}
	return results, nil
}

// leastRoof and mostRoof bound the time that the roof around one run is measured
// for: workers take a tenth of a millisecond to wake.
const leastRoof, mostRoof = 4e-3, 0.2

// Roof returns the multiply-adds per second that this machine reaches with that
// many workers, measured for a tenth of a second.
func Roof[T blas.Float](workers int) float64 {
	r := peak[T](workers, 0.1)
	return r.slots / r.seconds
}

// slotRate is a number of multiply-adds and the time they took.
type slotRate struct{ slots, seconds float64 }

// peak measures the roof for at least so many seconds. What counts is what all
// workers do between the first one's start and the last one's end, so workers
// that share a processor do not pass for more than they are.
func peak[T blas.Float](workers int, seconds float64) slotRate {
	k := asm.Native[T]()
	const rounds = 1 << 12 // some 10 µs
	var ready atomic.Int32
	var end sync.WaitGroup
	starts, ends, done := make([]time.Time, workers), make([]time.Time, workers), make([]int, workers)
	work := func(w int) {
		ready.Add(1)
		for int(ready.Load()) < workers { // parked workers would not start together
			runtime.Gosched()
		}
		starts[w] = time.Now()
		for ends[w] = starts[w]; ends[w].Sub(starts[w]).Seconds() < seconds || done[w] == 0; ends[w] = time.Now() {
			done[w] += k.Peak(rounds)
		}
	}
	for w := 1; w < workers; w++ {
		end.Add(1)
		go func() {
			defer end.Done()
			work(w)
		}()
	}
	work(0) // on the processor that runs the operation: others may have another clock
	end.Wait()
	first, last := slices.MinFunc(starts, time.Time.Compare), slices.MaxFunc(ends, time.Time.Compare)
	total := 0
	for _, n := range done {
		total += n
	}
	return slotRate{float64(total), last.Sub(first).Seconds()}
}
