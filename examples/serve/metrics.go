package main

import (
	"fmt"
	"log"
	"net/http"
	"sync/atomic"
	"time"
)

// bounds are the upper ends of the buckets of durations, in seconds.
var bounds = [...]float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, 1}

// metrics counts what a server does.
type metrics struct {
	answered, refused, failed atomic.Int64 // requests with status 200, 4xx and 5xx
	rows                      atomic.Int64
	reloads, failedReloads    atomic.Int64
	buckets                   [len(bounds) + 1]atomic.Int64
	nanoseconds               atomic.Int64
}

// timed makes a handler of a function that returns a status and what to say if it is not 200.
func (m *metrics) timed(f func(http.ResponseWriter, *http.Request) (int, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		status, err := f(w, r)
		switch {
		case status == http.StatusOK:
			m.answered.Add(1)
		case status < 500:
			m.refused.Add(1)
			http.Error(w, err.Error(), status)
		default:
			m.failed.Add(1)
			log.Print(err)
			http.Error(w, "an error that the log of the server has", status)
		}
		took := time.Since(began)
		i := 0
		for i < len(bounds) && took.Seconds() > bounds[i] {
			i++
		}
		m.buckets[i].Add(1)
		m.nanoseconds.Add(int64(took))
	}
}

// write writes the metrics in the text format of Prometheus.
func (s *server) write(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	say := func(name, kind, help string) { fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind) }
	say("serve_requests_total", "counter", "Requests to /predict, by what became of them.")
	for _, c := range []struct {
		outcome string
		n       *atomic.Int64
	}{{"answered", &s.answered}, {"refused", &s.refused}, {"failed", &s.failed}} {
		fmt.Fprintf(w, "serve_requests_total{outcome=%q} %d\n", c.outcome, c.n.Load())
	}
	say("serve_rows_total", "counter", "Rows predicted.")
	fmt.Fprintf(w, "serve_rows_total %d\n", s.rows.Load())
	say("serve_reloads_total", "counter", "Model files read since the start, by whether they were taken.")
	fmt.Fprintf(w, "serve_reloads_total{taken=\"yes\"} %d\nserve_reloads_total{taken=\"no\"} %d\n", s.reloads.Load(), s.failedReloads.Load())
	say("serve_model_modified_seconds", "gauge", "When the file of the model at work was written, in seconds since 1970.")
	fmt.Fprintf(w, "serve_model_modified_seconds %d\n", s.now.Load().file.ModTime().Unix())
	say("serve_request_seconds", "histogram", "Time of a request to /predict.")
	var below int64
	for i, b := range bounds {
		below += s.buckets[i].Load()
		fmt.Fprintf(w, "serve_request_seconds_bucket{le=\"%g\"} %d\n", b, below)
	}
	below += s.buckets[len(bounds)].Load()
	fmt.Fprintf(w, "serve_request_seconds_bucket{le=\"+Inf\"} %d\nserve_request_seconds_sum %g\nserve_request_seconds_count %d\n", below, float64(s.nanoseconds.Load())/1e9, below)
}
