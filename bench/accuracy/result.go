package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rffgo/rff/bench/jsonl"
)

// result is one measurement.
type result struct {
	Set      string  `json:"set"`
	Seed     uint64  `json:"seed"`
	Rows     int     `json:"rows"`           // training rows
	Most     int     `json:"most,omitempty"` // as -rows asked for; 0: all
	Method   string  `json:"method"`
	Error    float64 `json:"error"`          // %: wrong labels, or RMSE over the standard deviation of the test targets
	RMSE     float64 `json:"rmse,omitempty"` // of a regression, in the unit of the target
	Held     float64 `json:"held,omitempty"` // the error that Auto expects, in the unit of Error
	Features int     `json:"features,omitempty"`
	Seconds  float64 `json:"seconds"`
	// Processor is the processor time of fitting and predicting, in
	// seconds; 0 where it was not measured.
	Processor float64 `json:"processor,omitempty"`
	Note      string  `json:"note,omitempty"`
}

type results struct{ all []result }

func readResults(path string) (*results, error) {
	all, err := jsonl.Read[result](path)
	return &results{all}, err
}

// has reports whether a method is measured: plain at auto's number of features.
func (r *results) has(set string, seed uint64, most int, method string) bool {
	if method == "plain" {
		a := r.find(set, seed, most, "auto")
		if a == nil {
			return false
		}
		method = plainOf(a)
	}
	return r.find(set, seed, most, method) != nil
}

// plainOf names the grid with as many features as a result has.
func plainOf(a *result) string { return fmt.Sprintf("plain-%d", a.Features) }

func (r *results) find(set string, seed uint64, most int, method string) *result {
	for i, v := range r.all {
		if v.Set == set && v.Seed == seed && v.Most == most && v.Method == method {
			return &r.all[i]
		}
	}
	return nil
}

// add appends a result to the file.
func (r *results) add(path string, v result) error {
	r.all = append(r.all, v)
	return jsonl.Append(path, v)
}

// heading begins a table that has a column for each method between two others. It returns the methods.
func (r *results) heading(b *strings.Builder, first, last string) (methods []string) {
	for _, v := range r.all {
		methods = append(methods, v.Method)
	}
	slices.Sort(methods)
	methods = slices.Compact(methods)
	fmt.Fprintf(b, "| set | %s | %s | %s |\n|---|---|%s\n", first, strings.Join(methods, " | "), last, strings.Repeat("---|", len(methods)+1))
	return methods
}
