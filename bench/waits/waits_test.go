package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A timing inherits nothing that makes BLAS or Go faster or slower.
func TestEnvironment(t *testing.T) {
	for _, v := range []string{"OPENBLAS_CORETYPE", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "GOMAXPROCS", "GOGC", "RFF_CPU"} {
		t.Setenv(v, "9")
	}
	t.Setenv("RFF_DATA", "data")
	env := environment(2)
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		if value == "9" && strings.Contains("OPENBLAS_CORETYPE OPENBLAS_NUM_THREADS OMP_NUM_THREADS GOMAXPROCS GOGC RFF_CPU", name) {
			t.Errorf("inherits %s", v)
		}
	}
	for _, want := range []string{"GOMAXPROCS=2", "OPENBLAS_NUM_THREADS=2", "OMP_NUM_THREADS=2", "RFF_DATA=data"} {
		if !slices.Contains(env, want) {
			t.Errorf("lacks %s", want)
		}
	}
}

// What a file holds is not measured again for the same two revisions, and is for others.
func TestRecord(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cells.jsonl")
	all, err := readCells(file)
	if err != nil || len(all) != 0 {
		t.Fatal(all, err)
	}
	id := cell{Case: "fit", Side: "now", Base: "a", Now: "b", Round: 1, Turn: 2}
	now := id
	now.measured = measured{Wall: 3, CPU: 2, Peak: 1}
	if err := all.add(file, now); err != nil {
		t.Fatal(err)
	}
	all, err = readCells(file)
	if err != nil || !all.has(id) || all[id] != now.measured {
		t.Fatal(all, err)
	}
	id.Now = "c"
	if all.has(id) {
		t.Error("a cell of another revision")
	}
	if all.keep("a", "c"); len(all) != 0 {
		t.Error(all)
	}
}

// The table has the least and the median of each side and what they are to each other.
func TestLine(t *testing.T) {
	all := cells{}
	for turn, v := range []float64{4, 1, 2, 5} {
		side := [4]string{"base", "now", "now", "base"}[turn]
		all.put(cell{Case: "cv", Side: side, Turn: turn, measured: measured{v, 2 * v, 10, ""}})
		all.put(cell{Case: "fit", Side: side, Turn: turn, measured: measured{1, 2, 10, ""}})
	}
	row, _ := line(&Case{Name: "cv", Unit: "fit", Wanted: "less", Floor: 0.75}, all)
	var text []string
	for _, e := range row {
		text = append(text, e.Text)
	}
	if got := strings.Join(text, "|"); got != "cv|8 (10)|2 (4)|0.25|4 (5)|1 (2)|0.25|10|10|4.00|1.00|0.75|less" {
		t.Error(got)
	}
	all.put(cell{Case: "data", Side: "now", measured: measured{Absent: "no folder"}})
	if row, why := line(&Case{Name: "data"}, all); row != nil || why != "" && why != "no folder" {
		t.Error(row, why)
	}
}
