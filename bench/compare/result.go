package compare

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"github.com/rffgo/rff/asm"
)

// Result is a finished comparison.
type Result struct {
	Data        string
	Train, Test int
	Inputs      int
	Classes     int // 0 for regression
	Settings    Settings
	Cells       []Cell
	Rows        []Row
}

// Row sums up the repetitions of a method with a number of features.
type Row struct {
	Method   string  `json:"method"`
	Features int     `json:"features"`
	Reps     int     `json:"reps"`
	Mean     float64 `json:"mean"`
	SD       float64 `json:"sd"` // 0 for one repetition
	Lambda   float64 `json:"lambda"`
	Failure  string  `json:"failure,omitempty"`
	Times    *Times  `json:"times,omitempty"` // means, but the largest peak
}

// summarise fills Rows, in the order of the settings.
func (r *Result) summarise() {
	for _, method := range r.Settings.Methods {
		for _, features := range r.Settings.Features {
			row := Row{Method: method, Features: features, Times: &Times{}}
			var scores []float64
			var logLambda float64
			for i := range r.Cells {
				c := &r.Cells[i]
				if c.Method != method || c.Features != features {
					continue
				}
				if c.Failure != "" {
					row.Failure = c.Failure
					continue
				}
				scores = append(scores, c.Score)
				logLambda += math.Log10(c.Lambda)
				row.Times.Choose += c.Times.Choose
				row.Times.Generate += c.Times.Generate
				row.Times.Train += c.Times.Train
				row.Times.Predict += c.Times.Predict
				row.Times.Peak = max(row.Times.Peak, c.Times.Peak)
			}
			row.Reps = len(scores)
			n := float64(len(scores))
			if n == 0 {
				row.Times = nil
				r.Rows = append(r.Rows, row)
				continue
			}
			row.Mean, row.SD = MeanSD(scores)
			row.Lambda = math.Pow(10, logLambda/n)
			row.Times.Choose /= n
			row.Times.Generate /= n
			row.Times.Train /= n
			row.Times.Predict /= n
			r.Rows = append(r.Rows, row)
		}
	}
}

// MeanSD returns the mean and the standard deviation, with n−1, of values; a
// single one has deviation 0, none gives NaN.
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

// WithoutTimes returns the part of the result that data, settings and seed
// decide.
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

// Failures returns the methods and numbers of features that failed, and why.
func (r *Result) Failures() []string {
	var out []string
	for _, row := range r.Rows {
		if row.Failure != "" {
			out = append(out, fmt.Sprintf("%s, %d features: %s", row.Method, row.Features, row.Failure))
		}
	}
	return out
}

// ScoreName says what the scores are.
func (r *Result) ScoreName() string {
	if r.Classes > 0 {
		return "accuracy %"
	}
	return "error %"
}

// longNumber matches numbers with more digits than a title needs.
var longNumber = regexp.MustCompile(`[0-9]+\.[0-9]{4,}`)

// ShortNumbers returns text with its long numbers rounded to four digits.
func ShortNumbers(text string) string {
	return longNumber.ReplaceAllStringFunc(text, func(n string) string {
		v, _ := strconv.ParseFloat(n, 64)
		return strconv.FormatFloat(v, 'g', 4, 64)
	})
}

// Title describes the data and the setting in one line.
func (r *Result) Title() string {
	task := "regression"
	if r.Classes > 0 {
		task = fmt.Sprintf("%d classes", r.Classes)
	}
	kernel := r.Settings.Kernel
	if len(r.Cells) > 0 {
		kernel = ShortNumbers(r.Cells[0].Kernel)
	}
	if bandwidthParameter(r.Settings.Kernel) != "" {
		kernel += " (" + map[Bandwidth]string{Median: "median rule", Neighbour: "50-neighbour rule", CrossValidated: "cross-validated"}[r.Settings.Bandwidth] + ")"
	}
	return fmt.Sprintf("%s: %s training and %s test rows, %d inputs, %s; %s; %d repetition%s, seed %d",
		r.Data, grouped(r.Train), grouped(r.Test), r.Inputs, task, kernel, r.Settings.Reps, plural(r.Settings.Reps), r.Settings.Seed)
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// grouped writes a number with commas between thousands.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// WriteTable writes the rows for a person to read.
func (r *Result) WriteTable(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", r.Title())
	width := len("method")
	timed := false
	for _, row := range r.Rows {
		width = max(width, len(row.Method))
		timed = timed || row.Times != nil
	}
	fmt.Fprintf(&b, "%-*s  %8s  %16s  %8s", width, "method", "features", r.ScoreName(), "λ")
	if timed {
		fmt.Fprintf(&b, "  %10s  %8s  %8s", "generate s", "train s", "peak MiB")
	}
	b.WriteByte('\n')
	last := ""
	for _, row := range r.Rows {
		name := row.Method
		if name == last {
			name = ""
		}
		last = row.Method
		fmt.Fprintf(&b, "%-*s  %8d  ", width, name, row.Features)
		if row.Reps == 0 {
			fmt.Fprintf(&b, "%16s\n", "—")
			continue
		}
		score := fmt.Sprintf("%.2f ± %.2f", row.Mean, row.SD)
		if row.Reps == 1 {
			score = fmt.Sprintf("%.2f", row.Mean)
		}
		fmt.Fprintf(&b, "%16s  %8.0e", score, row.Lambda)
		if row.Times != nil {
			fmt.Fprintf(&b, "  %10.3f  %8.3f  %8.0f", row.Times.Generate, row.Times.Train, float64(row.Times.Peak)/(1<<20))
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "\n%s.\n", r.legend(timed))
	for _, f := range r.Failures() {
		fmt.Fprintf(&b, "not done: %s\n", f)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Result) legend(timed bool) string {
	score := "error %: root mean square error on the test rows, in % of the standard deviation of their targets"
	if r.Classes > 0 {
		score = "accuracy %: test rows classified correctly"
	}
	if r.Settings.Reps > 1 {
		score += ", mean ± standard deviation over the repetitions"
	}
	if r.Settings.Lambda == 0 {
		score += "; λ: ridge parameter by cross-validation"
	}
	if timed {
		score += ";\ngenerate s: choosing the features and evaluating them on the training rows; train s: the whole fit"
	}
	return score
}

// WriteCSV writes one line per row of the table.
func (r *Result) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	header := []string{"data", "method", "features", "reps", "score", "mean", "sd", "lambda"}
	timed := false
	for _, row := range r.Rows {
		timed = timed || row.Times != nil
	}
	if timed {
		header = append(header, "choose_seconds", "generate_seconds", "train_seconds", "predict_seconds", "peak_bytes")
	}
	c.Write(header)
	num := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for _, row := range r.Rows {
		line := []string{r.Data, row.Method, strconv.Itoa(row.Features), strconv.Itoa(row.Reps), r.ScoreName(), num(row.Mean), num(row.SD), num(row.Lambda)}
		if row.Reps == 0 {
			line[5], line[6], line[7] = "", "", ""
		}
		if timed {
			t := row.Times
			if t == nil {
				line = append(line, "", "", "", "", "")
			} else {
				line = append(line, num(t.Choose), num(t.Generate), num(t.Train), num(t.Predict), strconv.FormatUint(t.Peak, 10))
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
		Methods   []string `json:"methods"`
		Features  []int    `json:"features"`
		Reps      int      `json:"reps"`
		Seed      uint64   `json:"seed"`
		Scale     string   `json:"scale"`
		Kernel    string   `json:"kernel"`
		Bandwidth string   `json:"bandwidth,omitempty"`
		Lambda    float64  `json:"lambda,omitempty"`
		Precision string   `json:"precision"`
	}
	s := setting{r.Settings.Methods, r.Settings.Features, r.Settings.Reps, r.Settings.Seed, r.Settings.Scale.String(),
		r.Settings.Kernel, "", r.Settings.Lambda, r.Settings.Precision.String()}
	if bandwidthParameter(s.Kernel) != "" {
		s.Bandwidth = r.Settings.Bandwidth.String()
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
		Data    string  `json:"data"`
		Train   int     `json:"train_rows"`
		Test    int     `json:"test_rows"`
		Inputs  int     `json:"inputs"`
		Classes int     `json:"classes"`
		Score   string  `json:"score"`
		Setting setting `json:"settings"`
		Rows    []Row   `json:"rows"`
		Cells   []Cell  `json:"cells"`
	}{r.Data, r.Train, r.Test, r.Inputs, r.Classes, r.ScoreName(), s, r.Rows, cells})
}

// Machine describes what the times were measured on.
func Machine() string {
	return fmt.Sprintf("%s/%s, %s kernels, %d CPUs, %s", runtime.GOOS, runtime.GOARCH, asm.Native[float64]().ISA, runtime.NumCPU(), runtime.Version())
}
