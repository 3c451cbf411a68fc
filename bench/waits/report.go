package main

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/cpuid/v2"

	"github.com/rffgo/rff/bench/writeup"
	"github.com/rffgo/rff/cmd/rff/report"
)

// solution is what was measured of a change that was not made.
const solution = "float32 fits solve in float64. A factor in float32 and one refinement with residuals in float64 would save, on a Zen 5 of one worker, 5 ms of 184 at 10000 rows and 1792 features, and 84 ms of 683 and of 1730 at 4096 features with 5000 and 20,000 rows (the factor takes 11 ms for 20, and 109 for 217; rounding the matrix, a residual and a solution more take 7 and 31), for half a matrix more of memory. It was not built."

// unchanged is why some of what takes long was left as it is.
var unchanged = []string{
	"Choosing λ among twenty by five folds reduces five matrices, two thirds of s³ each. With 5000 rows and 4096 features these take more than four fits in float64, so reductions in float32 alone would still leave more than three fits, and more than four of float32. One reduction, of the sums of all rows, preconditions the system of each fold at every λ, but conjugate gradients then take too many steps. With 1250 rows and 1024 features of cpuact, magic04 and eeg, at the median bandwidth and half of it, a held-out error stays within a thousandth of its limit after 3 to 21 steps at the best of the λ from 10⁻¹⁰ to 10⁻¹, after 6 to 52 at a tenth of that, 21 to 139 at a hundredth, and 200 or more at 10⁻¹⁰; with 5000 rows after 3 to 13 at the best, and 8 to 200 or more at 10⁻¹⁰ (go -C bench run ./waits/folds -data DIR -sets cpuact,magic04,eeg -rows 1250 -features 1024). A step of five folds and twenty λ takes 300 s² multiply-adds, so those of all λ take longer than the reductions at the first of these shapes. Nor can small λ be left out by their first steps: these have smaller errors than the solutions. Leave-one-out multiplies all rows by a basis, and takes more than four fits there, too.",
	"tefm-g multiplies n rows of its pool with a dense random matrix. That takes as many multiply-adds per row and column of the pool as there are features, 1024 here, where making the column takes about twenty: no order of work brings it near the time of the pool. The matrix of tefm-s has a fast transform.",
	"Leverage scores take half the square of the pool's columns for each row, and then a factor and its inverse in float64, which sums in float32 leave as they are. They stay an option, since they change the scores' bits.",
	"A fit of 300 rows and 256 features in float32 spends a third of its time on the condition number of the system, a fifth on its factor in float64, and less than a fifth on sums in float32. SciPy's solution with which it is compared estimates no condition.",
}

// document is the report of the cells of two revisions.
func document(cases []Case, all cells, revision map[string]string) *writeup.Document {
	d := &writeup.Document{
		Title: "What users wait for",
		Lead: []string{
			fmt.Sprintf("Revision %s (before) and %s (now). Every case runs in processes of its own, in the order before, now, now, before, with as many processors as workers, one unless the case says otherwise, and without the settings of BLAS and of Go in the environment. Seconds are the least of all processes, in parentheses their median; processor time counts all threads and commands. Memory is what the process took beyond what its data had before, at most, or all that a command had. Floor is the arithmetic of the method in fits: its multiply-adds by those of one fit, ns²/2 + s³/6, one in float32 counted as half; a reduction to a band takes 2s³/3, which cross-validation does for each fold, and leave-one-out multiplies all rows by a basis, ns², which takes 2s³/3 to form.", revision["base"], revision["now"]),
		},
		About: report.About{
			Command: "go -C bench run ./waits " + strings.Join(os.Args[1:], " "),
			Date:    time.Now(),
			Machine: fmt.Sprintf("%s, %d processors, %s/%s, %s", cpuid.CPU.BrandName, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version()),
		},
	}
	d.Notes = append(append(d.Notes, solution), unchanged...)
	for _, c := range cases {
		row, absent := line(&c, all)
		if absent != "" {
			d.Notes = append(d.Notes, fmt.Sprintf("%s: %s.", c.Name, absent))
		}
		if row == nil {
			continue
		}
		i := slices.IndexFunc(d.Tables, func(t *writeup.Table) bool { return t.Caption == c.Subject })
		if i < 0 {
			i = len(d.Tables)
			unit := "fits"
			if strings.HasPrefix(c.Unit, "NumPy") {
				unit = "× NumPy"
			}
			d.Tables = append(d.Tables, &writeup.Table{Caption: c.Subject, Head: []string{"case", "processor s before", "now", "now/before", "wall s before", "now", "now/before", "MiB before", "now", unit + " before", "now", "floor", "wanted"}})
		}
		d.Tables[i].Rows = append(d.Tables[i].Rows, row)
	}
	return d
}

// line is the row of a case, nil if either side has no cells, or why it has none.
func line(c *Case, all cells) (row []writeup.Entry, absent string) {
	name := c.Name
	if c.Workers > 1 {
		name += fmt.Sprintf(", %d workers", c.Workers)
	}
	if c.Busy {
		name += ", beside a busy process"
	}
	row = []writeup.Entry{writeup.Word(name)}
	for _, get := range []func(measured) float64{
		func(m measured) float64 { return m.CPU }, func(m measured) float64 { return m.Wall }} {
		var least [2]float64
		for i, side := range []string{"base", "now"} {
			v, why := all.of(c.Name, side, get)
			if len(v) == 0 {
				return nil, why
			}
			least[i] = v[0]
			row = append(row, writeup.Number("%.3g (%.3g)", v[0], v[len(v)/2]))
		}
		row = append(row, writeup.Number("%.2f", least[1]/least[0]))
	}
	for _, side := range []string{"base", "now"} {
		v, _ := all.of(c.Name, side, func(m measured) float64 { return m.Peak })
		row = append(row, writeup.Number("%.0f", v[len(v)/2]))
	}
	for _, side := range []string{"base", "now"} {
		get := func(m measured) float64 { return m.CPU }
		if c.Workers > 1 {
			get = func(m measured) float64 { return m.Wall }
		}
		v, _ := all.of(c.Name, side, get)
		unit, _ := all.of(c.Unit, side, get)
		if len(unit) == 0 || math.IsInf(v[0]/unit[0], 0) {
			row = append(row, writeup.Word(""))
			continue
		}
		row = append(row, writeup.Number("%.2f", v[0]/unit[0]))
	}
	floor := writeup.Word("")
	if c.Floor > 0 {
		floor = writeup.Number("%.2f", c.Floor)
	}
	return append(row, floor, writeup.Word(c.Wanted)), ""
}

// of returns what get says of the cells of a case and a build, in ascending order, or why
// they have nothing.
func (c cells) of(name, side string, get func(measured) float64) (v []float64, absent string) {
	for id, m := range c {
		switch {
		case id.Case != name || id.Side != side:
		case m.Absent != "":
			absent = m.Absent
		default:
			v = append(v, get(m))
		}
	}
	slices.Sort(v)
	return v, absent
}
