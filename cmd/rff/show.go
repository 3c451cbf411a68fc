package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	flag "github.com/spf13/pflag"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/cmd/rff/report"
	"github.com/rffgo/rff/cmd/rff/wording"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/message"
	"github.com/rffgo/rff/internal/safetensors"
	"github.com/rffgo/rff/krr"
)

func showCommand(s *stdio) *cobra.Command {
	return newCommand(s, new(showing), &cobra.Command{
		Use:   "show [FILE]",
		Short: "show what is in a model, in sums or in a checkpoint",
		Long: `Prints what a file of rff fit, gram, merge or solve holds: the columns and their ranges,
the target and its classes, the scaling, the kernel and the features, λ, the scores that
the fit recorded, and the data and settings that it was made from. If the features were
learned, --svg draws the importance of the inputs.`,
		Example: `rff show model.safetensors
rff show model.safetensors --json
rff show model.safetensors --svg importance.svg`,
		Args: operand("file"),
	})
}

// showing has the flags of rff show.
type showing struct {
	file, svg string
	json      bool
}

func (c *showing) declare(f *flag.FlagSet) {
	f.StringVar(&c.file, "file", "", "`file` with a model, with sums (gram) or with a checkpoint")
	f.BoolVar(&c.json, "json", false, "print one JSON object")
	f.StringVar(&c.svg, "svg", "", "draw the importance of the inputs to this `file`; - for standard output")
}

func (c *showing) check(*flag.FlagSet) error {
	switch {
	case c.file == "":
		return usagef("say which file: rff show FILE")
	case c.svg != "" && c.json:
		return usagef("--svg and --json: give one of them")
	}
	return nil
}

func (c *showing) run(_ context.Context, s *stdio) error {
	found, err := readContents(c.file)
	switch {
	case err != nil:
		return err
	case c.svg != "":
		return found.draw(s, c.svg)
	case c.json:
		e := json.NewEncoder(s.data)
		e.SetIndent("", "  ")
		return e.Encode(found)
	}
	return found.print(s.out)
}

// contents is what rff show says about a file. Fields that a kind of file does not have are left
// out.
type contents struct {
	File        string            `json:"file"`
	Kind        string            `json:"kind"` // "model", "gram", "checkpoint"
	Bytes       int64             `json:"bytes"`
	Inputs      []input           `json:"inputs,omitempty"`
	Target      string            `json:"target,omitempty"`
	Task        string            `json:"task,omitempty"`
	Classes     []string          `json:"classes,omitempty"`
	Weights     []float64         `json:"class_weights,omitempty"` // of a row of each class
	Clipped     []float64         `json:"predictions_within,omitempty"`
	Missing     string            `json:"missing,omitempty"` // the rules of the schema
	Unseen      string            `json:"unseen,omitempty"`
	Rows        int64             `json:"rows,omitempty"`
	Features    int               `json:"features,omitempty"`
	Kernel      string            `json:"kernel,omitempty"`
	Precision   string            `json:"precision,omitempty"`
	Scaled      bool              `json:"scaled"`
	Lambda      []float64         `json:"lambda,omitempty"`
	Scores      map[string]string `json:"scores,omitempty"`
	Holds       []string          `json:"holds,omitempty"` // beside predictions
	Fingerprint string            `json:"map_fingerprint,omitempty"`
	Solved      string            `json:"solved,omitempty"`
	Provenance  map[string]string `json:"provenance,omitempty"`

	held string // what wording.Held says of the scaling
}

// input is a column of the data. Centre and Unit are those of the scaling. Low and High are the
// ends of its range among the rows of the fit.
type input struct {
	Name   string   `json:"name"`
	Low    *float64 `json:"low,omitempty"`
	High   *float64 `json:"high,omitempty"`
	Centre *float64 `json:"centre,omitempty"`
	Unit   *float64 `json:"unit,omitempty"`
	// Held is the value that every row is taken to have.
	Held *float64 `json:"held,omitempty"`
	// Importance is the share of this input, where features were learned.
	Importance *float64 `json:"importance,omitempty"`
}

// readContents looks into a file of any kind.
func readContents(name string) (*contents, error) {
	meta, bytes, err := metadata(name)
	if err != nil {
		return nil, err
	}
	kind, _ := strings.CutPrefix(meta["format"], "rff ")
	c := &contents{File: name, Kind: kind, Bytes: bytes}
	switch kind {
	case "model":
		m, err := krr.Load(name)
		if err != nil {
			return nil, err
		}
		c.describeModel(m)
	case "gram":
		g, err := krr.LoadGram(name)
		if err != nil {
			return nil, err
		}
		s := g.Settings()
		c.describe(g.Map(), s.Scaling, s.Schema, s.Precision)
		c.Rows = g.Rows()
	case "checkpoint":
		c.describeCheckpoint(meta)
	default:
		return nil, foreign(name)
	}
	return c, nil
}

// metadata reads the metadata of a file of this module.
func metadata(name string) (map[string]string, int64, error) {
	st, err := os.Stat(name)
	if err != nil {
		return nil, 0, fmt.Errorf("cannot read %s: %w", name, plainCause(err))
	}
	if !st.Mode().IsRegular() {
		return nil, 0, fmt.Errorf("cannot read %s: it is a folder, a pipe or a device", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, fmt.Errorf("cannot read it: %w", err)
	}
	defer f.Close()
	header, err := safetensors.Format{Refuse: func(string) error { return foreign(name) }, Accept: func(meta map[string]string) error {
		if len(meta) == 0 {
			return foreign(name)
		}
		return nil
	}}.ReadHeader(f, -1) // loading the file would tell whether it is complete
	if err != nil {
		return nil, 0, err
	}
	return header.Meta, st.Size(), nil
}

// foreign is the error of a file that rff show does not know.
func foreign(name string) error {
	return fmt.Errorf("%s is no model, no sums and no checkpoint of rff; what rff look writes is for rff merge and rff gram --looks", name)
}

func (c *contents) describeModel(m *krr.Model) {
	info := m.Info()
	prov := info.Provenance
	in, _ := m.Dims()
	c.describe(m.Map(), info.Scaling, info.Schema, info.Precision)
	if v := importances(prov, in); v != nil {
		for j := range c.Inputs {
			c.Inputs[j].Importance = &v[j]
		}
	}
	for i, ends := range info.Schema.Target.Range {
		if i%max(1, len(info.Schema.Target.Quantiles)) == 0 { // quantiles of one target share its range
			c.Clipped = append(c.Clipped, ends...)
		}
	}
	c.Rows, _ = strconv.ParseInt(prov["rows"], 10, 64)
	c.Lambda = info.Lambda
	if info.Probabilities {
		c.Holds = append(c.Holds, "probabilities")
	}
	if info.Noise != nil {
		c.Holds = append(c.Holds, "variances")
	}
	if info.Intervals > 0 {
		c.Holds = append(c.Holds, "intervals")
	}
	c.Solved = m.Info().Solved.String()
	c.Scores, c.Provenance = map[string]string{}, map[string]string{}
	for k, v := range prov {
		switch {
		case k == importanceOf || k == "rows" || k == "features" || k == "precision" || k == "kernel" || k == "solver":
		case strings.HasPrefix(k, "training ") || strings.HasPrefix(k, "held-out "):
			c.Scores[k] = v
		default:
			c.Provenance[k] = v
		}
	}
}

// describe adds what models and sums have in common.
func (c *contents) describe(m *rff.Map, sc rff.Scaling, schema rff.Schema, p krr.Precision) {
	in, features := m.Dims()
	c.Features = features
	names, classes := schema.InputNames(), schema.Target.Classes
	c.Missing, c.Unseen = string(schema.Missing), schema.Unseen
	if k := m.Kernel(); k != nil {
		c.Kernel = fmt.Sprint(k)
	}
	c.Precision, c.Fingerprint = string(p), m.Fingerprint()
	c.Target, c.Classes, c.Weights, c.Task = schema.Target.Name, classes, schema.Target.Weights, "regression"
	if len(classes) > 0 {
		c.Task = "classification"
	}
	c.Scaled = !inside.IsIdentity(sc)
	for j := range in {
		v := input{Name: "column " + strconv.Itoa(j+1)}
		if j < len(names) {
			v.Name = names[j]
		}
		if sc.Shift != nil {
			v.Centre = &sc.Shift[j]
		}
		if sc.Scale != nil {
			v.Unit = &sc.Scale[j]
		}
		c.Inputs = append(c.Inputs, v)
	}
	for _, j := range inside.Held(sc) {
		c.Inputs[j].Held = &sc.From[j][0]
	}
	c.held = wording.Held(inside.Held(sc), names)
	if lo, hi := ranges(schema); lo != nil {
		for j := range c.Inputs {
			if lo[j] <= hi[j] && !math.IsInf(lo[j], 0) {
				c.Inputs[j].Low, c.Inputs[j].High = &lo[j], &hi[j]
			}
		}
	}
}

// describeCheckpoint adds the metadata of a checkpoint. The state itself is of use only to the
// fit that goes on from it.
func (c *contents) describeCheckpoint(meta map[string]string) {
	c.Rows, _ = strconv.ParseInt(meta["rows"], 10, 64)
	c.Precision, c.Fingerprint = meta["fit.precision"], meta["fit.map.fingerprint"]
	c.Provenance = map[string]string{}
	for k, v := range meta {
		name, ok := strings.CutPrefix(k, "fit.")
		if ok && name != "scaling" && name != "precision" && name != "map.fingerprint" {
			c.Provenance[name] = v
		}
	}
}

// More columns than these are not listed one by one in the text.
const shownInputs = 40

func (c *contents) print(w io.Writer) error {
	l := &factLines{w: w}
	c.writeFacts(l)
	if l.err != nil || len(c.Inputs) == 0 {
		return l.err
	}
	fmt.Fprintln(w)
	return c.printInputs(w)
}

// factLines writes lines of a name and a text. err is the first error of w.
type factLines struct {
	w   io.Writer
	err error
}

// add writes a line, unless the text is empty.
func (l *factLines) add(name, text string) {
	if text == "" {
		return
	}
	// A name with a line break in it must not begin a line.
	if _, err := fmt.Fprintf(l.w, "%-12s %s\n", name, printable(text)); err != nil && l.err == nil {
		l.err = err
	}
}

// writeFacts writes the facts about the whole file.
func (c *contents) writeFacts(l *factLines) {
	kind := map[string]string{"model": "a model", "gram": "sums of rows", "checkpoint": "the checkpoint of a fit"}[c.Kind]
	l.add("file", fmt.Sprintf("%s: %s, %d bytes", c.File, kind, c.Bytes))
	if c.Rows > 0 {
		l.add("rows", fmt.Sprint(c.Rows))
	}
	if c.Task != "" {
		l.add("predicts", c.predicts())
	}
	if c.Features > 0 {
		l.add("features", fmt.Sprintf("%s, kernel %s, %s", message.Count(c.Features, "column"), cmp.Or(c.Kernel, "—"), c.Precision))
	}
	l.add("missing", c.Missing)
	l.add("unseen", c.Unseen)
	l.add("lambda", joinNumbers(c.Lambda))
	l.add("solved", c.Solved)
	for _, k := range slices.Sorted(maps.Keys(c.Scores)) {
		l.add("score", k+" "+c.Scores[k])
	}
	l.add("also holds", strings.Join(c.Holds, ", "))
	l.add("map", c.Fingerprint)
	for _, k := range slices.Sorted(maps.Keys(c.Provenance)) {
		l.add(k, c.Provenance[k])
	}
}

// predicts describes the target: its classes, or its range.
func (c *contents) predicts() string {
	if c.Task == "classification" {
		names := slices.Clone(c.Classes)
		for k, w := range c.Weights {
			names[k] += fmt.Sprintf(" (weight %.4g)", w)
		}
		text := fmt.Sprintf("%d classes: %s", len(c.Classes), strings.Join(names, ", "))
		if c.Target != "" {
			text += " of " + c.Target
		}
		return text
	}
	text := "a number"
	if c.Target != "" {
		text = c.Target
	}
	for i := 0; i+1 < len(c.Clipped); i += 2 {
		text += fmt.Sprintf(", within %.6g … %.6g", c.Clipped[i], c.Clipped[i+1])
	}
	return text
}

// printInputs prints a table of the inputs. A property that no input has gets no column.
func (c *contents) printInputs(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	ranged := slices.ContainsFunc(c.Inputs, func(v input) bool { return v.Low != nil })
	head := "input\t"
	if ranged {
		head += "lowest\thighest\t"
	}
	if c.Scaled {
		head += "centre\tunit\t"
	}
	important := c.Inputs[0].Importance != nil
	if important {
		head += "importance\t"
	}
	fmt.Fprintln(t, head)
	for j, v := range c.Inputs {
		if j == shownInputs {
			break
		}
		line := strings.ReplaceAll(printable(v.Name), "\t", `\t`) + "\t"
		if ranged {
			line += number6(v.Low) + "\t" + number6(v.High) + "\t"
		}
		if c.Scaled {
			line += number6(v.Centre) + "\t" + number6(v.Unit) + "\t"
		}
		if important {
			line += fmt.Sprintf("%.4f\t", *v.Importance)
		}
		fmt.Fprintln(t, line)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if n := len(c.Inputs) - shownInputs; n > 0 {
		if _, err := fmt.Fprintf(w, "and %d more: --json has them all\n", n); err != nil {
			return err
		}
	}
	if c.held != "" {
		_, err := fmt.Fprintln(w, printable(c.held))
		return err
	}
	return nil
}

func number6(v *float64) string {
	if v == nil {
		return "—"
	}
	return strconv.FormatFloat(*v, 'g', 6, 64)
}

func joinNumbers(values []float64) string {
	values = slices.Compact(slices.Clone(values))
	var s []string
	for _, v := range values {
		s = append(s, strconv.FormatFloat(v, 'g', 6, 64))
	}
	return strings.Join(s, ", ")
}

// draw writes a picture of the importance of the inputs.
func (c *contents) draw(s *stdio, name string) error {
	if len(c.Inputs) == 0 || c.Inputs[0].Importance == nil {
		return fmt.Errorf("--svg: %s has no importance of inputs: a fit with --sampler metric or refined has it, and one with --auto that learned features", c.File)
	}
	if err := apart(places("svg", name), place{"file", c.File}); err != nil {
		return err
	}
	var names []string
	var shares []float64
	for _, v := range c.Inputs {
		names, shares = append(names, printable(v.Name)), append(shares, *v.Importance)
	}
	out, err := s.openResult("svg", name)
	if err != nil {
		return err
	}
	defer out.discard()
	if err := report.WriteImportance(out, "Importance of the inputs of "+printable(c.File), names, shares); err != nil {
		return err
	}
	return out.commit()
}
