// Command landmarks compares landmark rows with random features at the same number
// of columns on every data set: each sampler has a kernel, a bandwidth and a λ of its
// own, found on training rows. It writes one line of JSON per
// fit, goes on where the file ends, and makes the table from the file.
//
//	go -C bench run ./landmarks -reps 5 -record landmarks/results.jsonl
//	go -C bench run ./landmarks -speed 5 -record landmarks/speed.jsonl
//	go -C bench run ./landmarks -report landmarks/results.jsonl
//
// bench/RESULTS-landmarks.md and the README have parts of the report of results.jsonl and,
// beside it, speed.jsonl, which a test holds them to.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/bench/cputime"
	"github.com/rffgo/rff/bench/jsonl"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/cmd/rff/compare"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/cmd/rff/sets"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/inside"
	columns "github.com/rffgo/rff/internal/scaling"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// cell is one fit.
type cell struct {
	Set      string  `json:"set"`
	Rep      int     `json:"rep"`
	Sampler  string  `json:"sampler"`
	Features int     `json:"features"`
	Train    int     `json:"train"`
	Test     int     `json:"test"`
	Error    float64 `json:"error"` // per cent of labels that are wrong, or RMSE
	RMSE     bool    `json:"rmse"`
	Kernel   string  `json:"kernel"`
	Lambda   float64 `json:"lambda"`
	Jitter   float64 `json:"jitter,omitempty"` // on the diagonal of the landmarks' kernel
	Solved   string  `json:"solved"`
	Failure  string  `json:"failure,omitempty"`

	Search  float64 `json:"search"`  // seconds for kernel and bandwidth
	Seconds float64 `json:"seconds"` // for the features and the fit with what was found, λ included
	CPU     float64 `json:"cpu"`     // CPU seconds of the same, which a busy machine changes less
}

func (c *cell) key() string { return fmt.Sprint(c.Set, " ", c.Rep, " ", c.Sampler, " ", c.Features) }

// defaultSamplers are the columns of the table, the first of which the others are
// compared with.
const defaultSamplers = "rff,orf,eerf,metric,refined,nystrom,nystrom:pick=rpcholesky,nystrom:metric=diagonal"

type settings struct {
	sets, samplers, kernels []string
	features                []int
	reps, rows, tuned       int
	seed                    uint64
}

func main() {
	var s settings
	names := flag.String("sets", strings.Join(sets.Names(), ","), "data sets; the environment variable RFF_DATA names their folder")
	samplers := flag.String("samplers", defaultSamplers, "specifications; a comma before key=value belongs to them")
	kernels := flag.String("kernels", "gaussian;matern:nu=0.5;matern:nu=1.5;matern:nu=2.5", "kernels to choose from by validation, separated by semicolons")
	features := flag.String("features", "64,256,1024", "columns")
	flag.IntVar(&s.reps, "reps", 5, "repetitions, each with rows and draws of its own")
	flag.IntVar(&s.rows, "rows", 10000, "most rows to train on, and to test on")
	flag.IntVar(&s.tuned, "tuned", 10000, "training rows that kernels and bandwidths are searched on: three fifths to learn on, two to measure")
	flag.Uint64Var(&s.seed, "seed", 1, "seed")
	record := flag.String("record", "", "append the fits to this `file`, but for those that it has; empty: standard output")
	render := flag.String("report", "", "write Markdown tables of this `file` instead")
	part := flag.String("parts", strings.Join(parts, ","), "with -report: what to write")
	without := flag.String("without", "", "with -report: sets to leave out")
	times := flag.Int("speed", 0, "time fits instead, so many times A-B-C-C-B-A, and append them to the file of -record, but for the cases that it has")
	python := flag.String("python", "/usr/bin/python3", "with -speed: interpreter with numpy and scipy")
	flag.Parse()
	var err error
	if *times > 0 && *record == "" {
		err = errors.New("-speed needs a file: -record")
	} else if *times > 0 {
		err = speed(context.Background(), *record, *python, *times)
	} else if *render != "" {
		err = report(os.Stdout, *render, strings.Split(*part, ","), splitSets(*without))
	} else {
		s.sets, s.kernels, s.samplers = strings.Split(*names, ","), strings.Split(*kernels, ";"), splitSamplers(*samplers)
		for _, f := range strings.Split(*features, ",") {
			n, bad := strconv.Atoi(f)
			err = errors.Join(err, bad)
			s.features = append(s.features, n)
		}
		if err == nil {
			err = s.run(context.Background(), *record)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "landmarks:", err)
		os.Exit(1)
	}
}

// splitSets divides at commas; the empty text names none.
func splitSets(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
}

// splitSamplers divides at commas that begin a name.
func splitSamplers(text string) (out []string) {
	for _, part := range strings.Split(text, ",") {
		if strings.Contains(part, "=") && !strings.Contains(part, ":") && len(out) > 0 {
			out[len(out)-1] += "," + part
			continue
		}
		out = append(out, part)
	}
	return out
}

// run does the cells that file lacks, repetition by repetition.
func (s *settings) run(ctx context.Context, file string) error {
	done := map[string]bool{}
	out := os.Stdout
	if file != "" {
		old, err := jsonl.Read[cell](file)
		if err != nil {
			return err
		}
		for _, c := range old {
			done[c.key()] = true
		}
		if out, err = os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666); err != nil {
			return err
		}
		defer out.Close()
	}
	for rep := range s.reps {
		for _, set := range s.sets {
			var d *divided
			for _, features := range s.features {
				for _, sampler := range s.samplers {
					c := cell{Set: set, Rep: rep, Sampler: sampler, Features: features}
					if done[c.key()] {
						continue
					}
					if d == nil {
						var err error
						if d, err = s.divide(ctx, set, rep); err != nil {
							return err
						}
					}
					if err := d.fit(ctx, s, &c); err != nil {
						c.Failure = err.Error()
					}
					if err := json.NewEncoder(out).Encode(c); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// divided is a set cut into rows to train and to test on, scaled as rff fit does.
type divided struct {
	train, test    *dataset.Table
	learn, measure *dataset.Table // of the training rows, for the search
	seed           uint64
}

func (s *settings) divide(ctx context.Context, set string, rep int) (*divided, error) {
	data, err := sets.Named(ctx, set, "")
	if err != nil {
		return nil, err
	}
	seed := s.seed + uint64(rep)*0x9e3779b97f4a7c15
	train, test, err := compare.Parts(data, seed, compare.Quarter)
	if err != nil {
		return nil, err
	}
	train, test = train[:min(len(train), s.rows)], test[:min(len(test), s.rows)]
	d := &divided{train: data.Select(train), test: data.Select(test), seed: seed}
	scaling := dataset.FitScaling("", d.train.X)
	columns.BentRows(scaling.From, scaling.To, scaling.Shift, scaling.Scale, d.train.X, d.train.X)
	columns.BentRows(scaling.From, scaling.To, scaling.Shift, scaling.Scale, d.test.X, d.test.X)
	var rows [2][]int // they come in random order
	for i := range min(d.train.Len(), s.tuned) {
		rows[min(1, i%5/3)] = append(rows[min(1, i%5/3)], i)
	}
	d.learn, d.measure = d.train.Select(rows[0]), d.train.Select(rows[1])
	return d, nil
}

// draws is the source of the draws for that many columns.
func (d *divided) draws(features int) rand.Source { return rand.NewPCG(d.seed, uint64(features)) }

// fit chooses kernel and bandwidth for this sampler and number of columns on rows held
// out, then λ by cross-validation on all training rows, and tests.
func (d *divided) fit(ctx context.Context, s *settings, c *cell) error {
	c.Train, c.Test, c.RMSE = d.train.Len(), d.test.Len(), d.train.Coding.Task == dataset.Regression
	sampler, err := sampling.ByName(c.Sampler)
	if err != nil {
		return err
	}
	start := time.Now()
	kernel, err := d.search(ctx, sampler, s.kernels, c.Features)
	if err != nil {
		return err
	}
	c.Kernel, c.Search = fmt.Sprint(kernel), time.Since(start).Seconds()
	start = time.Now()
	used := cputime.Seconds()
	m, err := sampler.Sample(ctx, rff.Request{Kernel: kernel, Dim: d.train.X.Cols, Features: c.Features, Data: d.train.Source(), Rand: d.draws(c.Features)})
	if err != nil {
		return err
	}
	_, change := inside.Split(m)
	c.Jitter = change.Jitter()
	model, _, err := krr.Fit(ctx, m, d.train.Source(), krr.Settings{Seed: d.seed, ClipPredictions: c.RMSE})
	if err != nil {
		return err
	}
	c.Seconds, c.CPU = time.Since(start).Seconds(), cputime.Seconds()-used
	info := model.Info()
	c.Lambda, c.Solved = info.Lambda[0], info.Solved.String()
	_, targets := d.test.Source().Schema().Dims()
	out := blas.NewGeneral[float64](d.test.Len(), targets)
	if err := fits.PredictBatch(model, out, d.test.X); err != nil {
		return err
	}
	if c.RMSE {
		c.Error = compare.Measures(d.test, out, nil)[fits.RMSE]
	} else {
		c.Error = 100 - compare.Accuracy(d.test, out)
	}
	return nil
}
