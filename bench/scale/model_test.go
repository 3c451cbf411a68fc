// Package scale says what a fit of very many rows costs on many machines: the rows
// per second of a worker, the bytes and the merging of sums, and from these the
// time of the whole, by a formula and by a simulation of the merge tree.
package scale

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// Costs are what a worker was measured to do, for s features.
type Costs struct {
	Features int
	Rows     float64 // rows per second of one worker, from memory to sums
	Read     float64 // rows per second that one worker reads; 0: they are in memory
	Bytes    float64 // of the file of sums
	Merge    float64 // seconds of reading one such file from memory and adding it
	Write    float64 // seconds of writing one to memory
	Solve    float64 // seconds of solving
	Look     float64 // bytes of the file of a look
	Gather   float64 // seconds of reading one such file from memory and merging it
}

// Cluster is what there is.
type Cluster struct {
	Workers int
	Fan     int     // files that one merge adds up
	Network float64 // bytes per second of one machine
	Jitter  float64 // by which a worker may be slower: 0.1 is up to 10 %
	Planned int     // times that all workers read the rows for the plan: 0 to 2
}

// Levels returns the levels of a merge tree.
func Levels(workers, fan int) int {
	n := 0
	for ; workers > 1; workers = (workers + fan - 1) / fan {
		n++
	}
	return n
}

// row returns the seconds that one worker takes to read a row and to sum it up.
func (c Costs) row() float64 {
	if c.Read == 0 {
		return 1 / c.Rows
	}
	return 1/c.Rows + 1/c.Read
}

// plan returns the seconds until the first worker may begin to sum up: so many times the
// slowest worker reads its rows, and the looks at them are merged in a tree like that of the
// sums.
func (c Costs) plan(on Cluster, rows float64) float64 {
	if c.Read == 0 {
		return 0
	}
	t := rows / float64(on.Workers) / c.Read * (1 + on.Jitter)
	for n := on.Workers; n > 1; n = (n + on.Fan - 1) / on.Fan {
		t += float64(min(n, on.Fan)) * (c.Look/on.Network + c.Gather)
	}
	return float64(on.Planned) * t
}

// Time returns the seconds of a fit of so many rows: the plan, the slowest worker's
// rows, then a merge on every level, whose files come one after the other through the
// network of one machine, then the solution.
func Time(c Costs, on Cluster, rows float64) float64 {
	t := c.plan(on, rows) + rows/float64(on.Workers)*c.row()*(1+on.Jitter) + c.Write
	for n := on.Workers; n > 1; n = (n + on.Fan - 1) / on.Fan {
		t += float64(min(n, on.Fan))*(c.Bytes/on.Network+c.Merge) + c.Write
	}
	return t + c.Solve
}

// Simulate returns the seconds of the same fit event by event: workers end at
// different times, a merge begins when its last file is there and a machine is free,
// and each machine does one thing at a time.
func Simulate(c Costs, on Cluster, rows float64, seed uint64) float64 {
	random := rand.New(rand.NewPCG(seed, 0))
	ready := make([]float64, on.Workers) // when the files of a level are there
	free := make([]float64, on.Workers)  // when each machine has nothing to do, in order
	for i := range ready {
		ready[i] = c.plan(on, rows) + rows/float64(on.Workers)*c.row()*(1+on.Jitter*random.Float64()) + c.Write
		free[i] = ready[i]
	}
	slices.Sort(free)
	for len(ready) > 1 {
		var next []float64
		for at := 0; at < len(ready); at += on.Fan {
			group := ready[at:min(at+on.Fan, len(ready))]
			last := 0.0
			for _, t := range group {
				last = max(last, t)
			}
			start := max(last, free[0])
			end := start + float64(len(group))*(c.Bytes/on.Network+c.Merge) + c.Write
			place, _ := slices.BinarySearch(free[1:], end)
			copy(free, free[1:place+1])
			free[place] = end
			next = append(next, end)
		}
		ready = next
	}
	return ready[0] + c.Solve
}

// SumBytes returns the bytes of a file of sums of s features and t targets, but for
// its map: the triangle of ZᵀZ and the smaller sums.
func SumBytes(s, t int) float64 { return 8 * (float64(s)*float64(s+1)/2 + float64(s)*float64(t+1)) }

// Table returns the page's table: time and machines of each number of rows.
func Table(costs []Costs, on Cluster, rows []float64, workers []int) string {
	var b strings.Builder
	b.WriteString("| rows | features | workers | reading and sums | merging | whole, formula | simulated | of it the plan |\n|---|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, n := range rows {
		for _, c := range costs {
			for _, w := range workers {
				on.Workers = w
				sums := n / float64(w) * c.row() * (1 + on.Jitter)
				plan := c.plan(on, n)
				whole := Time(c, on, n)
				fmt.Fprintf(&b, "| 10^%.0f | %d | %d | %s | %s | %s | %s | %s |\n", math.Log10(n), c.Features, w,
					duration(sums), duration(whole-plan-sums-c.Solve), duration(whole), duration(Simulate(c, on, n, 1)), duration(plan))
			}
		}
	}
	return b.String()
}

// duration writes seconds with two digits.
func duration(t float64) string {
	unit := "s"
	for _, u := range []struct {
		name    string
		seconds float64
	}{{"d", 86400}, {"h", 3600}, {"min", 60}} {
		if t >= 2*u.seconds {
			t, unit = t/u.seconds, u.name
			break
		}
	}
	if t >= 10 {
		return fmt.Sprintf("%.0f %s", t, unit)
	}
	return fmt.Sprintf("%.2g %s", t, unit)
}
