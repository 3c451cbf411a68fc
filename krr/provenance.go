package krr

import (
	"cmp"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"

	"github.com/rffgo/rff/internal/inside"
)

// provenance records where a model comes from.
func (f *problem) provenance(m *Model) map[string]string {
	p := map[string]string{
		"rff":       moduleVersion(),
		"rows":      fmt.Sprint(f.report.Train.Rows),
		"features":  fmt.Sprint(f.report.features),
		"precision": m.precision.Name,
		"solver":    m.solved.String(),
		"backend":   inside.Engine(f.m).String(),
	}
	if f.loss != nil {
		p["loss"] = f.loss.String()
	}
	if _, by := f.comparesRows(); by != "" {
		p[inside.IntervalsBy] = by
	}
	if k := f.m.Kernel(); k != nil {
		p["kernel"] = fmt.Sprint(k) // its name and its bandwidths, as rff.ParseKernel reads them
	}
	if n := inside.Trees(f.m); n > 0 {
		p["trees"] = fmt.Sprint(n) // the features are their sums
	}
	if f.report.Path != nil {
		p["lambda"] = f.choiceText()
	}
	if len(m.schema.Target.Classes) == 0 {
		score(p, "training R²", f.report.Train.R2...)
		score(p, "training RMSE", f.report.Train.RMSE...)
	}
	for _, point := range f.report.Path {
		if point.Lambda == m.lambda[0] && !f.byLogLoss() { // that of the probabilities is below
			name := "held-out mean squared error"
			if f.loss != nil {
				name = "held-out loss"
			}
			score(p, name, totalOf(&point))
		}
	}
	f.report.HeldOut.record(p)
	for k, v := range f.Settings.Provenance {
		p[k] = v
	}
	return p
}

// record puts measures of held-out rows into what a model says of itself, if there are any.
func (h *Measures) record(p map[string]string) {
	if h == nil {
		return
	}
	score(p, "held-out RMSE", h.RMSE...)
	score(p, "held-out MAE", h.MAE...)
	score(p, "held-out R²", h.R2...)
	if h.Recall != nil {
		score(p, "held-out accuracy", h.Accuracy)
		score(p, "held-out guess", h.classes.Guess)
		score(p, "held-out balanced accuracy", h.classes.Balanced)
		if h.AUC > 0 {
			score(p, "held-out AUC", h.AUC)
		}
		score(p, "held-out log loss", h.Loss...)
	}
}

func score(p map[string]string, name string, values ...float64) {
	var text []string
	for _, v := range values {
		text = append(text, strconv.FormatFloat(v, 'g', 6, 64))
	}
	if text != nil {
		p[name] = strings.Join(text, ", ")
	}
}

// choiceText says by what λ was chosen.
func (f *problem) choiceText() string {
	values := fmt.Sprint(len(f.grid))
	if tried := len(f.report.Path) + len(f.report.unresolved); tried < len(f.grid) { // passes stop where errors rise
		values = fmt.Sprintf("%d of %d", tried, len(f.grid))
	}
	text := fmt.Sprintf("%s, %s values from %g to %g", cmp.Or(f.Criterion, CrossValidation), values, f.grid[0], f.grid[len(f.grid)-1])
	if f.byLogLoss() {
		text = "log loss by " + text
	}
	if f.crossValidates() {
		folds := ", %d folds, seed %d"
		if f.Passes != nil {
			folds = ", one of %d folds, seed %d"
		}
		text += fmt.Sprintf(folds, f.foldCount, f.Seed)
		if f.foldRows > 1 {
			text += fmt.Sprintf(", runs of %d rows", f.foldRows)
		}
	}
	return text
}

// moduleVersion returns the version of this module in the running program. If a go.work takes
// this module from the tree of the program itself, it has no version of its own, and the
// version of the program's module is that of the tree.
var moduleVersion = sync.OnceValue(func() string {
	const module = "github.com/rffgo/rff"
	version := ""
	if b, ok := debug.ReadBuildInfo(); ok {
		for _, d := range append(b.Deps, &b.Main) {
			if d.Path == module {
				version = d.Version
			}
		}
		if version == "(devel)" && strings.HasPrefix(b.Main.Path, module+"/") {
			version = b.Main.Version
		}
	}
	return cmp.Or(version, "unknown")
})
