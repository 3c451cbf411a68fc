package numbers

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rffgo/rff/bench/jsonl"
)

func init() { results["accuracy"] = accuracy }

// accuracy computes the mean error over seeds, in %, from cells of bench/accuracy:
//
//	FILE SET METHOD SEEDS       such as race.jsonl letter auto 1; plain is the grid at any number of features
//	FILE SET METHOD SEEDS processor     the processor seconds in place of the error
func accuracy(words []string) (float64, error) {
	if len(words) != 4 && (len(words) != 5 || words[4] != "processor") {
		return 0, fmt.Errorf("accuracy has: FILE SET METHOD SEEDS, perhaps processor")
	}
	cells, err := jsonl.Read[struct {
		Set, Method string
		Seed, Most  int
		Error       float64
		Processor   float64
	}]("../accuracy/" + words[0])
	if err != nil {
		return 0, err
	}
	seeds := strings.Split(words[3], ",")
	var sum float64
	var n int
	for _, c := range cells {
		method := c.Method
		if strings.HasPrefix(method, "plain-") {
			method = "plain"
		}
		if c.Set == words[1] && method == words[2] && c.Most == 0 && slices.Contains(seeds, strconv.Itoa(c.Seed)) {
			if len(words) == 5 {
				c.Error = c.Processor
			}
			sum, n = sum+c.Error, n+1
		}
	}
	if n != len(seeds) {
		return 0, fmt.Errorf("%d cells of %s with %s, want %d", n, words[1], words[2], len(seeds))
	}
	return sum / float64(n), nil
}
