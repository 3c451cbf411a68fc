package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

type outcome struct {
	status      int
	out, errors string
}

// invoke runs the command line in this folder.
func invoke(args ...string) outcome {
	var out, errs bytes.Buffer
	status := run(context.Background(), args, &out, &errs)
	return outcome{status, out.String(), errs.String()}
}

// must fails the test unless the command succeeds, and returns its output.
func must(t *testing.T, args ...string) string {
	t.Helper()
	r := invoke(args...)
	if r.status != 0 {
		t.Fatalf("rffbench %s: status %d\n%s", strings.Join(args, " "), r.status, r.errors)
	}
	return r.out
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out, errs bytes.Buffer
	if status := run(ctx, []string{"roof", "gemm", "--n", "8", "--s", "8"}, &out, &errs); status != 130 || !strings.HasSuffix(errs.String(), "interrupted\n") {
		t.Errorf("status %d, %s", status, errs.String())
	}
}

// Sizes, types and paths that a benchmark prints are those it ran.
func TestRoof(t *testing.T) {
	out := must(t, "roof", "features", "--n", "10,20", "--d", "3", "--s", "8,16", "--dtype", "f32", "--workers", "1", "--form", "cos", "--reps", "1", "--json")
	var seen []string
	for line := range strings.Lines(out) {
		var r struct {
			Op          string
			N, D, S     int
			DType       string
			Workers     int
			Form        string
			Residual    float64
			SecondsMin  float64 `json:"seconds_min"`
			NsPerValue  float64 `json:"ns_per_value"`
			RoofPercent float64 `json:"roof_percent"`
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		seen = append(seen, fmt.Sprint(r.Op, r.N, r.D, r.S, r.DType, r.Workers, r.Form))
		if !(r.SecondsMin > 0) || math.Abs(r.NsPerValue/(1e9*r.SecondsMin/float64(r.N*r.S))-1) > 1e-6 || !(r.Residual < 1e-4) {
			t.Errorf("%+v", r)
		}
	}
	var want []string
	for _, n := range []int{10, 20} {
		for _, s := range []int{8, 16} {
			want = append(want, fmt.Sprint("features", n, 3, s, "f32", 1, "cos"))
		}
	}
	if !slices.Equal(seen, want) {
		t.Errorf("%q, want %q", seen, want)
	}
	table := must(t, "roof", "cholesky", "--s", "16", "--reps", "1")
	if lines := strings.Split(strings.TrimSpace(table), "\n"); len(lines) != 2 || !slices.Equal(strings.Fields(lines[1])[:7], []string{"cholesky", "10000", "14", "16", "f64", "1", "pair"}) {
		t.Errorf("table:\n%s", table)
	}
}
