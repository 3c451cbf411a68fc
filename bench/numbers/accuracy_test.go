package numbers

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

func init() { results["accuracy"] = accuracy }

// accuracy computes the mean error over seeds, in %, from the cells of bench/accuracy:
//
//	error SET METHOD       plain is the grid, at whatever number of features
func accuracy(words []string) (float64, error) {
	if len(words) != 3 || words[0] != "error" {
		return 0, fmt.Errorf("accuracy has: error SET METHOD")
	}
	f, err := os.Open("../accuracy/results.jsonl")
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var sum, n float64
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c struct {
			Set, Method string
			Most        int
			Error       float64
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			return 0, err
		}
		method, _, _ := strings.Cut(c.Method, "-")
		if c.Set == words[1] && c.Most == 0 && (c.Method == words[2] || words[2] == "plain" && method == "plain") {
			sum, n = sum+c.Error, n+1
		}
	}
	if n == 0 {
		return 0, fmt.Errorf("no cell of %s with %s", words[1], words[2])
	}
	return sum / n, lines.Err()
}
