package onnx

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
)

// cell is what a caller gives for a column, or for one input of a time: a number, or a text.
type cell struct {
	name  string   // of the input of the graph, if it has one of its own
	title string   // the name of the column, or of the number that a time becomes
	words []string // nil for a number
	texts bool     // a word is given as a text
	first int      // of the inputs of the map that it becomes
}

// cellsOf returns the cells of a row. A column whose words all are numbers takes numbers.
func cellsOf(s rff.Schema) (all []cell, texts bool) {
	names, first := s.InputNames(), 0
	for i, c := range s.Inputs {
		name := c.Name
		if c.Words != nil {
			all = append(all, cell{name: name, words: c.Words, texts: slices.ContainsFunc(c.Words, func(w string) bool { _, ok := numberOf(w); return !ok }), first: first})
			texts = texts || all[len(all)-1].texts
		} else {
			for k := range inside.Width(c) {
				if names != nil {
					name = names[first+k]
				}
				all = append(all, cell{name: name, first: first + k})
			}
		}
		first += inside.Width(s.Inputs[i])
	}
	used := map[string]bool{"y": true, "label": true, "scores": true, "probabilities": true}
	for i := range all {
		name := cmp.Or(all[i].name, fmt.Sprint("x", i+1))
		all[i].title = name
		for used[name] {
			name += "_"
		}
		all[i].name, used[name] = name, true
	}
	return all, texts
}

func numberOf(word string) (float64, bool) {
	v, err := strconv.ParseFloat(word, 64)
	return v, err == nil && v-v == 0
}

// checkWords refuses what the graph would confuse or could not hold.
func checkWords(s rff.Schema, io kind) error {
	for i, c := range s.Inputs {
		title := inside.Title(s, i)
		if err := checkTexts(title, []string{c.Name}); err != nil {
			return err
		}
		seen := map[float64]string{}
		for _, w := range c.Words {
			if v, ok := numberOf(w); ok {
				v = round(io, v)
				if first, twice := seen[v]; twice {
					return &rff.ParameterError{Name: "float32", Need: fmt.Sprintf("has one number for two words of %s, %s and %s: take float64", title, first, w)}
				}
				seen[v] = w
			}
		}
	}
	return checkTexts("the target", append(slices.Clone(s.Target.Classes), s.Target.Name))
}

// checkTexts refuses texts that a file cannot hold.
func checkTexts(where string, texts []string) error {
	for _, s := range texts {
		if !utf8.ValidString(s) {
			return &rff.ParameterError{Name: where, Value: fmt.Sprintf("%q", s), Need: "is not UTF-8, which names, words and labels of an ONNX file are: convert the data, and fit again"}
		}
	}
	return nil
}
