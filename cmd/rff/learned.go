package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	flag "github.com/spf13/pflag"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/atomicfile"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/sampling"
)

// importanceOf is the key of the provenance for the importance of the inputs. Its value has a
// number for each input, in their order, separated by commas.
const importanceOf = "importance"

// learning has the settings of a sampler that learns features, and its result.
type learning struct {
	checkpoint string
	every      time.Duration
	say        func(what string) // what was tried last
	result     *sampling.Learned
}

// learns reports whether a sampler learns features, with a bandwidth of its own choice.
func learns(s rff.Sampler) bool {
	switch s.(type) {
	case sampling.Metric, sampling.Refined:
		return true
	}
	return false
}

// sample learns features for the kernel of that family.
func (g *learning) sample(ctx context.Context, by *samplerFlags, k rff.Kernel, data rff.Source, seed uint64, on rff.Engine) (*rff.Map, error) {
	s := by.sampler
	set := func(m *sampling.Metric) {
		m.Progress = func(a sampling.Attempt) {
			if g.say != nil {
				g.say(a.What)
			}
		}
	}
	switch v := s.(type) {
	case sampling.Metric:
		set(&v)
		s = v
	case sampling.Refined:
		set(&v.Metric)
		v.Every = g.every
		if g.checkpoint != "" {
			v.Checkpoint = stateOf(g.checkpoint)
		}
		s = v
	}
	dim, _ := data.Schema().Dims()
	var err error
	if g.result, err = sampling.SampleLearned(ctx, s, rff.Request{Kernel: k, Dim: dim, Features: by.features, Data: data, Rand: rand.NewPCG(seed, uint64(by.features)), Engine: on}); err != nil {
		return nil, err
	}
	return g.result.Map, nil
}

// stateOf names the file for the state of a training, beside the checkpoint of the fit
// that follows it.
func stateOf(checkpoint string) string { return checkpoint + ".training" }

// removeState removes the state of a training. It is called once the model is written.
func removeState(checkpoint string) error {
	if checkpoint == "" {
		return nil
	}
	if _, err := os.Stat(stateOf(checkpoint)); err != nil {
		return nil
	}
	return atomicfile.Remove(stateOf(checkpoint))
}

// record writes what was learned to the provenance of a model.
func (g *learning) record(p map[string]string) {
	if g.result == nil {
		return
	}
	p["learned features"] = fmt.Sprintf("%v; on %d rows, %d more held out", g.result.Outcome, g.result.Rows, g.result.Held)
	var text []string
	for _, v := range g.result.Importance {
		text = append(text, strconv.FormatFloat(v, 'g', 6, 64))
	}
	if text != nil {
		p[importanceOf] = strings.Join(text, ",")
	}
}

// importances reads what record wrote.
func importances(p map[string]string, inputs int) []float64 {
	text := strings.Split(p[importanceOf], ",")
	if len(text) != inputs {
		return nil
	}
	out := make([]float64, inputs)
	for i, t := range text {
		v, err := strconv.ParseFloat(t, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
		out[i] = v
	}
	return out
}

const (
	shownImportances = 12
	barWidth         = 40
)

// print draws the inputs that matter most as bars.
func (g *learning) print(w io.Writer, inputs []string) {
	if g.result == nil || g.result.Importance == nil {
		return
	}
	importance := g.result.Importance
	order := make([]int, len(importance))
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case importance[a] > importance[b]:
			return -1
		case importance[a] < importance[b]:
			return 1
		}
		return 0
	})
	width, shown := 0, order[:min(len(order), shownImportances)]
	names := make([]string, len(shown))
	for i, j := range shown {
		names[i] = "column " + strconv.Itoa(j+1)
		if j < len(inputs) {
			names[i] = printable(inputs[j])
		}
		width = max(width, len([]rune(names[i])))
	}
	fmt.Fprintf(w, "importance of the inputs: how much the fit varies with each, per standard deviation\n")
	for i, j := range shown {
		bar := int(math.Round(barWidth * importance[j] / importance[order[0]]))
		pad := strings.Repeat(" ", width-len([]rune(names[i])))
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("  %s%s %5.1f %% %s", names[i], pad, 100*importance[j], strings.Repeat("█", bar)), " "))
	}
	if n := len(order) - len(shown); n > 0 {
		var rest float64
		for _, j := range order[len(shown):] {
			rest += importance[j]
		}
		fmt.Fprintf(w, "  and %d more: %.1f %%; rff show has them all\n", n, 100*rest)
	}
}

// samplerFlags say by which sampler how many features are chosen.
type samplerFlags struct {
	name     string
	features int
	sampler  rff.Sampler // of that name; set by settle
	learning learning    // of a sampler that learns
}

func (c *samplerFlags) declare(f *flag.FlagSet) {
	whole(f, &c.features, "features", 1024, 1, "`number` of features, in columns")
	f.StringVar(&c.name, "sampler", "rff", "`sampler` that chooses the features: "+strings.Join(inside.Samplers(), ", "))
	words(f, "sampler", inside.Samplers()...)
}

// settle finds the sampler.
func (c *samplerFlags) settle() (err error) {
	if c.sampler, err = sampling.ByName(c.name); err != nil {
		return usagef("--sampler: %s", oneLine(err))
	}
	return nil
}
