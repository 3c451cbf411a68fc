package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/krr"
)

// job is a request under way.
type job struct {
	cancel   context.CancelFunc
	done     chan struct{}
	progress atomic.Pointer[progress]
	reply    reply // once done is closed
}

// reply is what Python gets.
type reply struct {
	Progress *progress `json:"progress,omitempty"`
	Result   any       `json:"result,omitempty"`
	Error    *failure  `json:"error,omitempty"`
}

// progress is krr.Progress, with seconds.
type progress struct {
	Stage   string  `json:"stage"`
	Done    int64   `json:"done"`
	Total   int64   `json:"total"`
	Seconds float64 `json:"seconds"`
}

// failure is an error: its kind, such as "ParameterError", its text, and the possible values of a
// parameter that is one of some words.
type failure struct {
	Kind  string   `json:"kind"`
	Text  string   `json:"text"`
	Known []string `json:"known,omitempty"`
}

var jobs sync.Map // int64 → *job

func start(text []byte, arrays []array) int64 {
	ctx, cancel := context.WithCancel(context.Background())
	j := &job{cancel: cancel, done: make(chan struct{})}
	n := numbers.Add(1)
	jobs.Store(n, j)
	r := &request{arrays: arrays, report: j.report}
	if err := mistyped(json.Unmarshal(text, r)); err != nil {
		j.reply = reply{Error: failed(err)}
		close(j.done)
	} else if r.short() {
		j.run(ctx, r)
	} else {
		go j.run(ctx, r)
	}
	return n
}

// run does what r asks for. A panic is a reply, too: it would end Python.
func (j *job) run(ctx context.Context, r *request) {
	defer close(j.done)
	defer func() {
		if p := recover(); p != nil {
			j.reply = reply{Error: &failure{Kind: "panic", Text: fmt.Sprintf("%v\n%s", p, debug.Stack())}}
		}
	}()
	result, err := r.run(ctx)
	if err != nil {
		f := failed(err)
		if r.LeftOut && f.Kind == "ValueError" {
			f.Text += " (rows are counted without those of weight 0)"
		}
		j.reply = reply{Error: f}
		return
	}
	j.reply = reply{Result: result}
}

// mostShort is the number of rows whose prediction takes so little that starting a goroutine for
// it would be felt.
const mostShort = 64

// short reports whether a request is so short that it need not run beside its caller.
func (r *request) short() bool {
	x := r.with('x')
	return r.Op == "predict" && len(x) > 0 && x[0].rows <= mostShort
}

func wait(n int64, most time.Duration) reply {
	v, ok := jobs.Load(n)
	if !ok {
		return reply{Error: &failure{Kind: "panic", Text: "there is no such job"}}
	}
	j := v.(*job)
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-j.done:
		jobs.Delete(n)
		j.cancel()
		return j.reply
	case <-timer.C:
	}
	p := j.progress.Load()
	if p == nil {
		p = new(progress)
	}
	return reply{Progress: p}
}

func cancel(n int64) {
	if j, ok := jobs.Load(n); ok {
		j.(*job).cancel()
	}
}

// report keeps the progress of a fit for the next wait.
func (j *job) report(p krr.Progress) {
	j.progress.Store(&progress{p.Stage, p.Rows, p.Total, p.Elapsed.Seconds()})
}

// failed returns err with its kind.
func failed(err error) *failure {
	var (
		parameter  *rff.ParameterError
		shape      *rff.ShapeError
		value      *rff.ValueError
		degenerate *rff.DegenerateDataError
		solve      *krr.SolveError
		file       *krr.FileError
		cell       *dataset.ParseError
	)
	kind := "Error"
	switch {
	case errors.Is(err, context.Canceled):
		kind = "cancelled"
	case errors.As(err, &parameter):
		kind = "ParameterError"
	case errors.As(err, &shape):
		kind = "ShapeError"
	case errors.As(err, &value), errors.As(err, &cell):
		kind = "ValueError"
	case errors.As(err, &degenerate):
		kind = "DegenerateDataError"
	case errors.As(err, &solve):
		kind = "SolveError"
	case errors.As(err, &file):
		kind = "FileError"
	}
	f := &failure{Kind: kind, Text: err.Error()}
	if parameter != nil {
		f.Known = parameter.Known
		if name, ok := parameters[parameter.Name]; ok {
			here := *parameter
			here.Name = name
			f.Text = strings.Replace(f.Text, parameter.Error(), here.Error(), 1)
		}
	}
	return f
}

// parameters are the names of settings in Python, where these are others.
var parameters = map[string]string{"features": "n_features", "lambda": "alpha", "workers": "n_jobs", inside.IntervalsBy: "uncertainty"}

// mistyped returns an error of the request's JSON as one of the parameter that has another type.
func mistyped(err error) error {
	var e *json.UnmarshalTypeError
	if errors.As(err, &e) {
		return &rff.ParameterError{Name: strings.ToLower(e.Field), Value: e.Value, Need: "must be of the type " + e.Type.String()}
	}
	return err
}

// operations by name.
func operations() map[string]func(*request, context.Context) (any, error) {
	return map[string]func(*request, context.Context) (any, error){
		"fit": (*request).fit, "auto": (*request).auto, "features": (*request).features,
		"gram": (*request).gram, "add": (*request).add, "solve": (*request).solve,
		"predict": (*request).predict, "info": (*request).info,
		"bytes": (*request).bytes, "read": (*request).read, "save": (*request).save, "load": (*request).load,
	}
}

func (r *request) run(ctx context.Context) (any, error) {
	do := operations()[r.Op]
	if do == nil {
		return nil, fmt.Errorf("rff: there is no operation %q", r.Op)
	}
	return do(r, ctx)
}
