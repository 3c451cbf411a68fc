package numbers

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rffgo/rff/bench/jsonl"
)

func init() { results["reproduce"] = reproduce }

// reproducedCell is what a line of bench/reproduce/results has that numbers are made of.
type reproducedCell struct {
	Data, Sampler, Loss string
	Size, Rep           int
	Values              map[string]float64
}

// reproduce computes, of the cells of an experiment and protocol in
// bench/reproduce/results:
//
//	repetitions EXPERIMENT SIZE    of every set and sampler that has any, at least
//	sets EXPERIMENT                with any cell
//	value EXPERIMENT SET SAMPLER SIZE NAME  the mean over repetitions;
//	                               SAMPLER,LOSS for one other than squares
//	wins EXPERIMENT LARGE SMALL    on how many sets rff with LARGE columns has a smaller
//	                               error than every sampler that looks at no data with SMALL
func reproduce(words []string) (float64, error) {
	if len(words) < 2 {
		return 0, fmt.Errorf("unknown words")
	}
	cells, err := jsonl.Read[reproducedCell]("../reproduce/results/" + words[1] + ".jsonl")
	if err != nil {
		return 0, err
	}
	for i, c := range cells {
		if c.Loss != "" {
			cells[i].Sampler += "," + c.Loss
		}
	}
	switch what := words[0]; {
	case what == "repetitions" && len(words) == 3:
		return fewest(cells, words[2]), nil
	case what == "sets" && len(words) == 2:
		sets := map[string]bool{}
		for _, c := range cells {
			sets[c.Data] = true
		}
		return float64(len(sets)), nil
	case what == "value" && len(words) == 6:
		return mean(cells, words[2:]), nil
	case what == "wins" && len(words) == 4:
		return wins(cells, words[2], words[3]), nil
	}
	return 0, fmt.Errorf("unknown words")
}

func fewest(cells []reproducedCell, size string) float64 {
	n := map[string]float64{}
	for _, c := range cells {
		if strconv.Itoa(c.Size) == size {
			n[c.Data+" "+c.Sampler]++
		}
	}
	least := 1e9
	for _, reps := range n {
		least = min(least, reps)
	}
	return least
}

func mean(cells []reproducedCell, words []string) float64 {
	var sum, n float64
	for _, c := range cells {
		if v, ok := c.Values[words[3]]; ok && c.Data == words[0] && c.Sampler == words[1] && strconv.Itoa(c.Size) == words[2] {
			sum, n = sum+v, n+1
		}
	}
	return sum / n
}

// wins compares the errors of the first repetition.
func wins(cells []reproducedCell, large, small string) float64 {
	plain, best := map[string]float64{}, map[string]float64{}
	for _, c := range cells {
		size, error := strconv.Itoa(c.Size), c.Values["error"]
		if c.Rep > 0 {
			continue
		}
		if size == large && c.Sampler == "rff" {
			plain[c.Data] = error
		}
		if blind := strings.Contains(" orf halton sobol ", " "+c.Sampler+" "); size == small && blind {
			if b, ok := best[c.Data]; !ok || error < b {
				best[c.Data] = error
			}
		}
	}
	var n float64
	for set, error := range plain {
		if b, ok := best[set]; ok && error < b {
			n++
		}
	}
	return n
}
