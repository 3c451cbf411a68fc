package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/krr"
)

func searchPageOf(t *testing.T, s Search) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteSearch(&b, s, About{Command: "rff fit"}); err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(strings.NewReader(b.String()))
	d.Strict, d.AutoClose, d.Entity = false, append(xml.HTMLAutoClose, "meta"), xml.HTMLEntity
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// The page says every step, its error and seconds, what was not kept and why, and why
// the search stopped, and draws the steps.
func TestWriteSearch(t *testing.T) {
	steps := []hook.Step{
		{Name: "search", Candidates: 208, Rows: 2000, HeldOut: 1000, Features: 256, Best: "<robust> inputs", Error: 0.25, Kept: true, Estimated: time.Second, Elapsed: 1500 * time.Millisecond},
		{Name: "search", Candidates: 3, Rows: 4000, HeldOut: 1000, Features: 1024, Best: "b", Error: 0.125, Kept: true, Gain: 0.1, StdErr: 0.05, Estimated: time.Second, Elapsed: time.Second},
		{Name: "metric", Candidates: 1, Rows: 4000, HeldOut: 1000, Features: 1024, Best: "c", Error: 0.2345, Gain: -1, StdErr: 1, Why: "no better off", Estimated: 2 * time.Second, Elapsed: time.Second},
		{Name: "refined", Candidates: 1, Best: "nothing was learned", Error: math.Inf(1), Why: "nothing was learned", Estimated: time.Second},
		{Name: "features", Why: "the budget is gone"},
	}
	r := &krr.AutoReport{Report: &krr.Report{Rows: 5000}, Searched: 4000, Error: 0.125, Stopped: "because & why", ScalingName: "ranks",
		Learned: "metric", Importance: []float64{0.25, 0.75}}
	page := searchPageOf(t, Search{AutoReport: r, Steps: steps, Kernel: rff.NewGaussian(), Features: 1024, Data: "<b>d</b>", Inputs: []string{"low", "<i>high"}, Classes: true, Lambda: "1e-06", Sampler: "metric"})
	for _, want := range []string{"&lt;b&gt;d", "because &amp; why", "12.500 %", "wrong labels", "25.000", "23.450", "208", "not kept: no better off", ">best so far<", ">chosen: better by 0.1 ± 0.05<", "nothing was learned", "not tried: the budget is gone",
		"&lt;robust&gt;", ">1.5<", "searched on 4000 of 5000", "ranks inputs", "1e-06", "&lt;i&gt;high</th><td>75.0", "low</th><td>25.0"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in the page:\n%s", want, page)
		}
	}
	if strings.Index(page, "high</th>") > strings.Index(page, "low</th>") {
		t.Error("inputs are not in the order of their importance")
	}
	// Two kept steps and one that was not are drawn in each of the two pictures.
	if n := strings.Count(page, `12.5 at`) + strings.Count(page, `25 at`) + strings.Count(page, `23.45 at`); n < 6 || strings.Count(page, `role="img"`) != 2 {
		t.Errorf("%d points, %d pictures", n, strings.Count(page, `role="img"`))
	}
	if strings.Contains(page, "NaN") || strings.Contains(page, "Inf,") || strings.Contains(page, "d=\"M+Inf") {
		t.Error("a step without an error is drawn")
	}
}

// A search that tried nothing has no picture.
func TestWriteEmptySearch(t *testing.T) {
	r := &krr.AutoReport{Report: &krr.Report{Rows: 5}, Searched: 5, Stopped: "5 rows are too few to search on"}
	if page := searchPageOf(t, Search{AutoReport: r, Features: 32, Data: "d"}); strings.Contains(page, "<figure>") || !strings.Contains(page, "too few") {
		t.Error(page)
	}
}
