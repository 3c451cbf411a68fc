package numbers

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/rffgo/rff/bench/jsonl"
)

func init() { results["landmarks"] = landmarks }

// landmarkFit is what a line of bench/landmarks/results.jsonl has that numbers are made of.
type landmarkFit struct {
	Set, Sampler, Failure string
	Rep, Features         int
	Error, CPU            float64
}

// landmarks computes, of bench/landmarks/results.jsonl, where SETS is a set, all or
// all-but-SET, and A and B are samplers, of the repetitions that both have:
//
//	fits                  how many there are
//	repetitions COLUMNS A of a set at most
//	error SET COLUMNS A B the mean error of A
//	rows SET COLUMNS A B  as wrong rows of the 10,000 to test on
//	ratio SETS COLUMNS A B  the error of A over that of B, the geometric mean over sets
//	saved SETS COLUMNS A B  what A saves of the error of B, in %
//	better SETS COLUMNS A B on how many sets A has the smaller error
//	sets SETS COLUMNS A B   of how many
//	cpu COLUMNS A B         the median CPU seconds of A over those of B
//
// and of bench/landmarks/speed.jsonl, for float64 and a λ, 0 for five folds:
//
//	speed ROWS INPUTS COLUMNS LAMBDA  the least seconds of landmarks over those of random features
func landmarks(words []string) (float64, error) {
	fits, err := readLandmarks()
	if err != nil {
		return 0, err
	}
	what, words := words[0], words[1:]
	switch {
	case what == "fits" && len(words) == 0:
		return float64(len(fits)), nil
	case what == "repetitions" && len(words) == 2:
		return repetitions(fits, words[0], words[1])
	case what == "cpu" && len(words) == 3:
		return medianCPU(fits, words[0], words[1]) / medianCPU(fits, words[0], words[2]), nil
	case len(words) != 4:
		return 0, fmt.Errorf("unknown words")
	case what == "speed":
		return speed(strings.Join(words, " "))
	}
	errors := map[string][2]float64{} // of a set: the sums of A and B
	reps := map[string]float64{}
	for _, a := range fits {
		if !named(words[0], a.Set) || strconv.Itoa(a.Features) != words[1] || a.Sampler != words[2] {
			continue
		}
		for _, b := range fits {
			if b.Set == a.Set && b.Features == a.Features && b.Rep == a.Rep && b.Sampler == words[3] {
				sum := errors[a.Set]
				errors[a.Set] = [2]float64{sum[0] + a.Error, sum[1] + b.Error}
				reps[a.Set]++
			}
		}
	}
	if len(errors) == 0 {
		return 0, fmt.Errorf("no fits")
	}
	var logs, better float64
	for _, set := range slices.Sorted(maps.Keys(errors)) {
		e := errors[set]
		logs += math.Log(e[0] / e[1])
		if e[0] < e[1] {
			better++
		}
	}
	ratio := math.Exp(logs / float64(len(errors)))
	switch what {
	case "error":
		return errors[words[0]][0] / reps[words[0]], nil
	case "rows":
		return errors[words[0]][0] / reps[words[0]] * 100, nil
	case "ratio":
		return ratio, nil
	case "saved":
		return 100 * (1 - ratio), nil
	case "better":
		return better, nil
	case "sets":
		return float64(len(errors)), nil
	}
	return 0, fmt.Errorf("unknown words")
}

// named reports whether SETS names a set.
func named(sets, set string) bool {
	but, all := strings.CutPrefix(sets, "all-but-")
	return sets == "all" || sets == set || all && but != set
}

func repetitions(fits []landmarkFit, columns, sampler string) (float64, error) {
	n, most := map[string]float64{}, 0.0
	for _, f := range fits {
		if strconv.Itoa(f.Features) == columns && f.Sampler == sampler {
			n[f.Set]++
			most = max(most, n[f.Set])
		}
	}
	return most, nil
}

// medianCPU is that of the fits that say it.
func medianCPU(fits []landmarkFit, columns, sampler string) float64 {
	var all []float64
	for _, f := range fits {
		if strconv.Itoa(f.Features) == columns && f.Sampler == sampler && f.CPU > 0 {
			all = append(all, f.CPU)
		}
	}
	if len(all) == 0 {
		return math.NaN()
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// speed is the ratio of a case.
func speed(which string) (float64, error) {
	all, err := jsonl.Read[struct {
		Rows, Inputs, Columns int
		Precision             string
		Lambda                float64
		Landmarks, Random     []float64
	}]("../landmarks/speed.jsonl")
	if err != nil {
		return 0, err
	}
	for _, t := range all {
		if t.Precision == "float64" && fmt.Sprint(t.Rows, t.Inputs, t.Columns, t.Lambda) == which {
			return slices.Min(t.Landmarks) / slices.Min(t.Random), nil
		}
	}
	return 0, fmt.Errorf("no such case")
}

// readLandmarks returns the fits that did not fail.
func readLandmarks() ([]landmarkFit, error) {
	fits, err := jsonl.Read[landmarkFit]("../landmarks/results.jsonl")
	return slices.DeleteFunc(fits, func(f landmarkFit) bool { return f.Failure != "" }), err
}
