package compare

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/cmd/rff/wording"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/message"
	"github.com/rffgo/rff/krr"
)

// Result is a finished comparison.
type Result struct {
	Data        string
	Digest      string   // of all rows, see Digest
	Train, Test int      // the mean of the repetitions, whose rows that repeat may divide unevenly
	divisions   [][2]int // the training and test rows of each repetition
	Divided     bool     // the set has no test part of its own, and is divided anew in every repetition
	Inputs      int
	Target      string
	Classes     int    // 0 for regression
	Weighted    bool   // the rows count by their weights, also those of their classes
	Kernel      string // with the bandwidth of the first repetition
	Settings    Settings
	Planned     int    // number of cells; an interrupted run has only some of them
	Cells       []Cell // by repetition, sampler and features
	Rows        []Row
	Tested      int      // differences from the first sampler
	Notes       []string // what a reader should know

	rowNoise map[cellKey]float64 // see measureRows
}

// Complete reports whether all cells were done.
func (r *Result) Complete() bool { return len(r.Cells) == r.Planned }

// HigherIsBetter tells accuracies from errors.
func (r *Result) HigherIsBetter() bool { return r.Classes > 0 }

// sort puts the cells in the order of the settings.
func (r *Result) sort() {
	s := &r.Settings
	slices.SortStableFunc(r.Cells, func(a, b Cell) int {
		return cmp.Or(cmp.Compare(a.Rep, b.Rep), cmp.Compare(slices.Index(s.Samplers, a.Sampler), slices.Index(s.Samplers, b.Sampler)),
			cmp.Compare(slices.Index(s.Features, a.Features), slices.Index(s.Features, b.Features)))
	})
}

// Row sums up the repetitions of a sampler with a number of features.
type Row struct {
	Sampler  string  `json:"sampler"`
	Features int     `json:"features"`
	Reps     int     `json:"reps"`
	Mean     float64 `json:"mean"`
	SD       float64 `json:"sd"` // 0 for one repetition
	// Means and standard deviations of the measures of the repetitions that have them.
	Measures fits.Values `json:"measures,omitempty"`
	SDs      fits.Values `json:"sds,omitempty"`
	Versus   *Difference `json:"versus_first,omitempty"`
	Lambda   float64     `json:"lambda"`
	Failure  string      `json:"failure,omitempty"`
	Times    *Times      `json:"times,omitempty"` // means, but the largest peak
}

// Better and Worse report a difference from the first sampler beyond noise.
func (row *Row) Better() bool { return row.Versus != nil && row.Versus.Beyond == "better" }
func (row *Row) Worse() bool  { return row.Versus != nil && row.Versus.Beyond == "worse" }

// summarise fills Rows, in the order of the settings.
func (r *Result) summarise() {
	for _, sampler := range r.Settings.Samplers {
		for _, features := range r.Settings.Features {
			row := Row{Sampler: sampler, Features: features, Times: &Times{}}
			var scores []float64
			measures := map[string][]float64{}
			var logLambda float64
			timed := true
			for i := range r.Cells {
				c := &r.Cells[i]
				if c.Sampler != sampler || c.Features != features {
					continue
				}
				if c.Failure != "" {
					row.Failure = c.Failure
					continue
				}
				scores = append(scores, c.Score)
				for name, v := range c.Measures {
					measures[name] = append(measures[name], v)
				}
				logLambda += math.Log10(c.Lambda)
				if c.Times == nil {
					timed = false
					continue
				}
				row.Times.Choose += c.Times.Choose
				row.Times.Generate += c.Times.Generate
				row.Times.Train += c.Times.Train
				row.Times.Predict += c.Times.Predict
				row.Times.Peak = max(row.Times.Peak, c.Times.Peak)
			}
			row.Reps = len(scores)
			n := float64(len(scores))
			if n == 0 || !timed {
				row.Times = nil
			}
			if n == 0 {
				r.Rows = append(r.Rows, row)
				continue
			}
			row.Mean, row.SD = MeanSD(scores)
			row.Measures, row.SDs = fits.Values{}, fits.Values{}
			for name, values := range measures {
				row.Measures[name], row.SDs[name] = MeanSD(values)
			}
			row.Lambda = math.Pow(10, logLambda/n)
			if timed {
				row.Times.Choose /= n
				row.Times.Generate /= n
				row.Times.Train /= n
				row.Times.Predict /= n
			}
			r.Rows = append(r.Rows, row)
		}
	}
}

// MeanSD returns the mean of values and their standard deviation, with the divisor n−1. A single
// value has the deviation 0. Without values both are NaN.
func MeanSD(values []float64) (mean, sd float64) {
	n := float64(len(values))
	if n == 0 {
		return math.NaN(), math.NaN()
	}
	for _, v := range values {
		mean += v / n
	}
	for _, v := range values {
		d := v - mean
		sd += float64(d * d)
	}
	return mean, math.Sqrt(sd / max(1, n-1))
}

// WithoutTimes returns the part of the result that depends only on data, settings and seed.
func (r *Result) WithoutTimes() *Result {
	c := *r
	c.Cells, c.Rows = append([]Cell(nil), r.Cells...), append([]Row(nil), r.Rows...)
	for i := range c.Cells {
		c.Cells[i].Times = nil
	}
	for i := range c.Rows {
		c.Rows[i].Times = nil
	}
	return &c
}

// Failures returns the samplers and numbers of features that failed, in how many of the repetitions if
// not in all, and why.
func (r *Result) Failures() []string {
	var out []string
	for _, row := range r.Rows {
		if row.Failure == "" {
			continue
		}
		what := fmt.Sprintf("%s, %d features", row.Sampler, row.Features)
		if row.Reps > 0 {
			what += fmt.Sprintf(", in %d of %s", r.Settings.Reps-row.Reps, message.Count(r.Settings.Reps, "repetition"))
		}
		out = append(out, what+": "+row.Failure)
	}
	return out
}

// ScoreName says what the scores are.
func (r *Result) ScoreName() string {
	if r.Classes > 0 {
		return "accuracy %"
	}
	if r.Settings.ownLoss() != nil {
		return r.Settings.Loss
	}
	return "RMSE"
}

// Title describes the data and the setting in one line.
func (r *Result) Title() string {
	task := "regression"
	if r.Classes > 0 {
		task = fmt.Sprintf("%d classes", r.Classes)
	}
	if r.Classes == 0 && r.Target != "" {
		task += " of " + r.Target
	}
	kernel := r.Settings.Kernel
	if r.Kernel != "" {
		kernel = wording.ShortNumbers(r.Kernel)
	}
	if r.Settings.openBandwidth() {
		kernel += " (" + map[Bandwidth]string{Median: "median rule", Neighbour: "50-neighbour rule", CrossValidated: "cross-validated"}[cmp.Or(r.Settings.Bandwidth, Median)] + ")"
	}
	mean := ""
	if slices.ContainsFunc(r.divisions, func(d [2]int) bool { return d != r.divisions[0] }) {
		mean = "a mean of "
	}
	return fmt.Sprintf("%s: %s%s training and %s test rows, %s, %s; %s; %s, seed %d",
		r.Data, mean, grouped(r.Train), grouped(r.Test), message.Count(r.Inputs, "input"), task, kernel, message.Count(r.Settings.Reps, "repetition"), r.Settings.Seed)
}

// countRows sets Train and Test.
func (r *Result) countRows() {
	var train, test float64
	for _, d := range r.divisions {
		train, test = train+float64(d[0]), test+float64(d[1])
	}
	n := float64(len(r.divisions))
	r.Train, r.Test = int(math.Round(train/n)), int(math.Round(test/n))
}

// grouped writes a number with commas between thousands.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Spread writes a mean and, if there were repetitions, its standard deviation. The deviation has
// two digits, and the mean has as many decimals as the deviation.
func Spread(mean, sd float64, reps int) string {
	switch size := max(math.Abs(mean), sd); {
	case reps < 2:
		return fmt.Sprintf("%.4g", mean)
	case size >= 1e6 || size < 1e-4 || sd < 1e-7*size:
		return fmt.Sprintf("%.4g ± %.2g", mean, sd)
	}
	decimals := max(0, 1-int(math.Floor(math.Log10(sd))))
	return fmt.Sprintf("%.*f ± %.*f", decimals, mean, decimals, sd)
}

// Measure is a column of the table.
type Measure struct {
	Key, Name string
	share     bool // written in per cent
}

// Text writes the mean of the repetitions, and their standard deviation.
func (m Measure) Text(row *Row) string {
	mean, sd := row.Measures[m.Key], row.SDs[m.Key]
	switch _, known := row.Measures[m.Key]; {
	case !known:
		return "—"
	case !m.share:
		return Spread(mean, sd, row.Reps)
	case row.Reps == 1:
		return fmt.Sprintf("%.2f", 100*mean)
	}
	return fmt.Sprintf("%.2f ± %.2f", 100*mean, 100*sd)
}

// Measures returns the available measures of the task. The one that is compared comes first.
func (r *Result) Measures() []Measure {
	if r.Classes == 0 {
		all := []Measure{{fits.RMSE, "RMSE", false}, {fits.MAE, "MAE", false}, {fits.R2, "R²", false}}
		if r.Settings.ownLoss() != nil {
			all = slices.Insert(all, 0, Measure{fits.Loss, r.ScoreName(), false})
		}
		return all
	}
	all := []Measure{{fits.Accuracy, r.ScoreName(), true}, {fits.Balanced, "balanced %", true}, {fits.LeastRecall, "least recall %", true}}
	for _, m := range []Measure{{fits.AUC, "ROC AUC", false}, {fits.LogLoss, "log loss", false}} {
		if slices.ContainsFunc(r.Rows, func(row Row) bool { _, ok := row.Measures[m.Key]; return ok }) {
			all = append(all, m)
		}
	}
	return all
}

// Timed reports whether there are times to show.
func (r *Result) Timed() bool {
	return slices.ContainsFunc(r.Rows, func(row Row) bool { return row.Times != nil })
}

// WriteTable writes the rows for a person to read.
func (r *Result) WriteTable(w io.Writer) error {
	timed := r.Timed()
	head := []string{"sampler", "features"}
	measures := r.Measures()
	for i, m := range measures {
		if head = append(head, m.Name); i == 0 {
			head = append(head, "") // beside the measure that is compared
		}
	}
	head = append(head, "λ")
	if timed {
		head = append(head, "choose s", "generate s", "train s", "peak MiB")
	}
	lines := [][]string{head}
	last := ""
	for i := range r.Rows {
		row := &r.Rows[i]
		name := row.Sampler
		if name == last {
			name = ""
		}
		last = row.Sampler
		line := []string{name, strconv.Itoa(row.Features)}
		if row.Reps == 0 {
			lines = append(lines, append(line, "—"))
			continue
		}
		for i, m := range measures {
			if line = append(line, m.Text(row)); i == 0 {
				line = append(line, mark(row))
			}
		}
		line = append(line, fmt.Sprintf("%.0e", row.Lambda))
		if timed && row.Times != nil {
			t := row.Times
			line = append(line, fmt.Sprintf("%.3f", t.Choose), fmt.Sprintf("%.3f", t.Generate), fmt.Sprintf("%.3f", t.Train), fmt.Sprintf("%.0f", float64(t.Peak)/(1<<20)))
		}
		lines = append(lines, line)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", r.Title())
	align(&b, lines)
	fmt.Fprintf(&b, "\n%s.\n", r.legend(timed))
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	for _, f := range r.Failures() {
		fmt.Fprintf(&b, "not done: %s\n", f)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// mark stands beside a score that differs from the first sampler's beyond noise.
func mark(row *Row) string {
	switch {
	case row.Better():
		return "better"
	case row.Worse():
		return "worse"
	}
	return ""
}

// align writes columns: the first and the marks flush left, the others flush right.
func align(b *strings.Builder, lines [][]string) {
	width := make([]int, len(lines[0]))
	for _, line := range lines {
		for j, text := range line {
			width[j] = max(width[j], utf8.RuneCountInString(text))
		}
	}
	for _, line := range lines {
		var text strings.Builder
		for j, cell := range line {
			if width[j] == 0 {
				continue
			}
			if j > 0 {
				text.WriteString("  ")
			}
			pad := strings.Repeat(" ", width[j]-utf8.RuneCountInString(cell))
			if j == 0 || lines[0][j] == "" {
				text.WriteString(cell + pad)
			} else {
				text.WriteString(pad + cell)
			}
		}
		b.WriteString(strings.TrimRight(text.String(), " ") + "\n")
	}
}

// ScoreUnit returns the unit of an RMSE, in parentheses. For another loss it returns "".
func (r *Result) ScoreUnit() string {
	if r.Settings.ownLoss() != nil {
		return ""
	}
	return " (" + r.TargetUnit() + ")"
}

// TargetUnit says what errors are measured in.
func (r *Result) TargetUnit() string {
	if r.Target == "" {
		return "in the unit of the target"
	}
	return "in the unit of " + r.Target
}

func (r *Result) legend(timed bool) string {
	score := "RMSE, MAE: root mean square and mean absolute error on the test rows, " + r.TargetUnit() + "; R²: share of the variance explained"
	if r.Settings.ownLoss() != nil {
		score = r.ScoreName() + ": mean of the loss that is fitted, on the test rows; " + score
	}
	if r.Classes > 0 {
		score = "accuracy %: " + r.AccuracyRule() + "; balanced %: mean over the classes of the share of their rows that are;\nleast recall %: the least of these shares"
		for _, m := range r.Measures() {
			score += map[string]string{fits.AUC: "; ROC AUC: area under the ROC curve", fits.LogLoss: "; log loss: mean −log of the probability of the right class"}[m.Key]
		}
	}
	if r.Settings.Reps > 1 {
		score += "; mean ± standard deviation over the repetitions"
	}
	if r.Settings.Lambda == 0 {
		score += ";\nλ: ridge parameter by " + r.LambdaRule()
	}
	if r.Tested > 0 {
		score += ";\n" + r.MarkRule()
	}
	if timed {
		score += ";\nchoose s: choosing the features; generate s: that, and evaluating them on the training rows;\ntrain s: the whole fit with the choice of λ, which comes after choosing"
	}
	return score
}

// AccuracyRule says what an accuracy is.
func (r *Result) AccuracyRule() string {
	if r.Weighted {
		return "share of the weight of the test rows that are classified correctly"
	}
	return "test rows classified correctly"
}

// LambdaRule says how λ is chosen.
func (r *Result) LambdaRule() string {
	return map[krr.Criterion]string{krr.CrossValidation: "cross-validation", krr.GCV: "generalised cross-validation", krr.LeaveOneOut: "leaving out each row"}[r.Settings.Criterion]
}

// MarkRule says when a difference is marked.
func (r *Result) MarkRule() string {
	how := "with the variance over the test rows, which stay the same"
	if r.Divided {
		how = "with Nadeau and Bengio's correction for rows that they share"
	}
	return fmt.Sprintf("better, worse: than %s in %s, beyond noise (t test over paired repetitions, %s; Holm's correction for %s, level 5 %%)",
		r.Settings.Samplers[0], r.ScoreName(), how, message.Count(r.Tested, "comparison"))
}

// WriteCSV writes one line per row of the table.
func (r *Result) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	header := []string{"data", "sampler", "features", "reps", "score", "mean", "sd", "lambda", "versus_first", "p"}
	measures := r.Measures()
	for _, m := range measures {
		header = append(header, m.Key, m.Key+"_sd")
	}
	timed := r.Timed()
	if timed {
		header = append(header, "choose_seconds", "generate_seconds", "train_seconds", "predict_seconds", "peak_bytes")
	}
	c.Write(header)
	num := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for i := range r.Rows {
		row := &r.Rows[i]
		line := make([]string, len(header))
		copy(line, []string{r.Data, row.Sampler, strconv.Itoa(row.Features), strconv.Itoa(row.Reps), r.ScoreName()})
		if row.Reps > 0 {
			line[5], line[6], line[7], line[8] = num(row.Mean), num(row.SD), num(row.Lambda), mark(row)
			if row.Versus != nil {
				line[9] = num(row.Versus.P)
			}
			at := 10
			for _, m := range measures {
				if v, ok := row.Measures[m.Key]; ok {
					line[at], line[at+1] = num(v), num(row.SDs[m.Key])
				}
				at += 2
			}
			if t := row.Times; t != nil {
				copy(line[at:], []string{num(t.Choose), num(t.Generate), num(t.Train), num(t.Predict), strconv.FormatUint(t.Peak, 10)})
			}
		}
		c.Write(line)
	}
	c.Flush()
	return c.Error()
}

// WriteJSON writes everything: setting, rows and cells.
func (r *Result) WriteJSON(w io.Writer) error {
	type setting struct {
		Samplers  []string `json:"samplers"`
		Features  []int    `json:"features"`
		Reps      int      `json:"reps"`
		Seed      uint64   `json:"seed"`
		Scale     string   `json:"scale"`
		Kernel    string   `json:"kernel"`
		Bandwidth string   `json:"bandwidth,omitempty"`
		Lambda    float64  `json:"lambda,omitempty"`
		LambdaBy  string   `json:"lambda_by,omitempty"`
		Precision string   `json:"precision"`
		Loss      string   `json:"loss,omitempty"`
	}
	s := setting{r.Settings.Samplers, r.Settings.Features, r.Settings.Reps, r.Settings.Seed, string(cmp.Or(r.Settings.Scale, dataset.Robust)),
		r.Settings.Kernel, "", r.Settings.Lambda, "", string(r.Settings.Precision), r.Settings.Loss}
	if r.Settings.openBandwidth() {
		s.Bandwidth = string(cmp.Or(r.Settings.Bandwidth, Median))
	}
	if r.Settings.Lambda == 0 {
		s.LambdaBy = r.LambdaRule()
	}
	cells := append([]Cell(nil), r.Cells...)
	for i := range cells {
		if cells[i].Failure != "" {
			cells[i].Score = 0 // JSON has no NaN
		}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(struct {
		Data     string   `json:"data"`
		Digest   string   `json:"data_sha256"`
		Train    int      `json:"train_rows"`
		Test     int      `json:"test_rows"`
		Inputs   int      `json:"inputs"`
		Target   string   `json:"target,omitempty"`
		Classes  int      `json:"classes"`
		Score    string   `json:"score"`
		Complete bool     `json:"complete"`
		Notes    []string `json:"notes,omitempty"`
		Setting  setting  `json:"settings"`
		Rows     []Row    `json:"rows"`
		Cells    []Cell   `json:"cells"`
	}{r.Data, r.Digest, r.Train, r.Test, r.Inputs, r.Target, r.Classes, r.ScoreName(), r.Complete(), r.Notes, s, r.Rows, cells})
}

// Machine describes what the times were measured on.
func Machine() string {
	return fmt.Sprintf("%s/%s, %s kernels, %d CPUs, %s", runtime.GOOS, runtime.GOARCH, asm.Native[float64]().ISA, runtime.NumCPU(), runtime.Version())
}
