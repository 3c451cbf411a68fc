package krr_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/stream"
	"github.com/rffgo/rff/krr"
)

// A precision of sums alone fits by its sums, however few the rows are, under its own name.
// What needs more than sums is refused, and the error names the precisions that have it.
func TestPrecisionOfSumsAlone(t *testing.T) {
	sums := *stream.Float32
	sums.Name, sums.Short, sums.Few, sums.Passes, sums.LeaveOneOut, sums.Weight = "sums", "s", nil, false, false, 1
	all := stream.Precisions
	stream.Precisions = append(slices.Clip(all), &sums)
	t.Cleanup(func() { stream.Precisions = all })
	ctx, data, m := t.Context(), classes(1, 90, 2, "a", "b"), gaussianMap(t, 1, 2, 200, 1)
	for precision, dual := range map[krr.Precision]bool{krr.Float32: true, "sums": false} {
		model, report, err := krr.Fit(ctx, m, data, krr.Settings{Precision: precision})
		if err != nil || krr.InfoOf(report).Solved.Dual() != dual || krr.InfoOf(report).Precision != precision {
			t.Fatalf("%s: %v, %+v", precision, err, report)
		}
		var file bytes.Buffer
		if _, err := model.WriteTo(&file); err != nil {
			t.Fatal(err)
		}
		if read, err := krr.ReadModel(&file); err != nil || read.Info().Precision != precision {
			t.Errorf("%s: %v, %v", precision, read, err)
		}
	}
	g := gram(t, m, data, "sums")
	_, ofGram := g.LeaveOneOut(ctx, data, []float64{1e-3})
	fit := func(s krr.Settings) error {
		s.Precision = "sums"
		_, _, err := krr.Fit(ctx, m, data, s)
		return err
	}
	for name, err := range map[string]error{
		"conjugate gradients": fit(krr.Settings{Passes: &krr.Passes{}}),
		"logistic":            fit(krr.Settings{Loss: "logistic"}),
		"hard rows":           fit(krr.Settings{Loss: "hard:3"}),
		"leave-one-out":       fit(krr.Settings{Criterion: krr.LeaveOneOut}),
		"of a Gram":           ofGram,
	} {
		var refused *rff.ParameterError
		if !errors.As(err, &refused) || refused.Name != "precision" || !slices.Equal(refused.Known, []string{"float64", "float32"}) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
