package main

import (
	"slices"
	"strings"
)

// closest returns the word of known that a mistyped word most probably means, or "". A third of
// the letters may be wrong. A beginning that only one known word has counts as that word.
func closest(word string, known []string) string {
	word = strings.ToLower(word)
	best, least := "", max(1, len([]rune(word))/3)+1
	if len([]rune(word)) == 1 {
		least = 1 // one letter is like any other
	}
	for _, k := range known {
		if d := distance(word, strings.ToLower(k)); d < least {
			best, least = k, d
		}
	}
	if best != "" || len(word) < 2 {
		return best
	}
	for _, k := range known {
		if strings.HasPrefix(strings.ToLower(k), word) {
			if best != "" {
				return ""
			}
			best = k
		}
	}
	return best
}

// distance is the number of letters to insert, remove, replace or swap with
// their neighbour to make b of a (optimal string alignment).
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	before, last, now := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		now[0] = i
		for j := 1; j <= len(y); j++ {
			replace := last[j-1]
			if x[i-1] != y[j-1] {
				replace++
			}
			now[j] = min(replace, last[j]+1, now[j-1]+1)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				now[j] = min(now[j], before[j-2]+1)
			}
		}
		before, last, now = last, now, before
	}
	return last[len(y)]
}

const didYouMean = "did you mean "

// question asks whether another word of known was meant, or is "".
func question(word string, known []string) string {
	if c := closest(word, known); c != "" && c != word {
		return "; " + didYouMean + c + "?"
	}
	return ""
}

// elsewhere has names of flags in scikit-learn, and a former one.
var elsewhere = map[string]string{"alpha": "lambda", "group": "folds-by", "groups": "folds-by", "methods": "samplers",
	"n-components": "features", "random-state": "seed", "sample-weight": "weights", "target": "label"}

// unknownFlag says that there is no flag of that name.
func unknownFlag(name string, known []string) string {
	text := "there is no flag --" + name
	if here := elsewhere[name]; slices.Contains(known, here) {
		return text + "; " + didYouMean + "--" + here + "?"
	}
	if slices.Contains([]string{"missing", "categories", "unseen"}, name) {
		return text + ": rff fit has it, and its model keeps the rule for predict"
	}
	if c := closest(name, known); c != "" {
		text += "; " + didYouMean + "--" + c + "?"
	}
	return text
}
