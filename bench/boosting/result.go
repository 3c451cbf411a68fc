package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
)

// result is one measurement.
type result struct {
	Set      string  `json:"set"`
	Seed     uint64  `json:"seed"`
	Rows     int     `json:"rows"` // training rows
	Method   string  `json:"method"`
	Error    float64 `json:"error"` // %: wrong labels, or RMSE over the standard deviation of the test targets
	Features int     `json:"features,omitempty"`
	Seconds  float64 `json:"seconds"`
	Note     string  `json:"note,omitempty"`
}

type results struct{ all []result }

func readResults(path string) (*results, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &results{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r results
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var v result
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			return nil, err
		}
		r.all = append(r.all, v)
	}
	return &r, lines.Err()
}

func (r *results) has(p parts, method string) bool { return r.find(p, method) != nil }

func (r *results) find(p parts, method string) *result {
	for i, v := range r.all {
		if v.Set == p.set && v.Seed == p.seed && v.Rows == p.train.Len() && v.Method == method {
			return &r.all[i]
		}
	}
	return nil
}

// add appends a result to the file.
func (r *results) add(path string, v result) error {
	r.all = append(r.all, v)
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.Write(append(text, '\n')); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
