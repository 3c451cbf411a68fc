package krr_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/krr"
)

// noiseInGroups returns rows with labels of no meaning: those of a group are near each other, and share one.
func noiseInGroups(rng *rand.Rand, groups, each int, labels []string) *rows {
	n := groups * each
	r := &rows{x: blas.NewGeneral[float64](n, 3), batch: 64, classes: labels}
	var at [3]float64
	label := 0
	for i := range n {
		if i%each == 0 {
			at, label = [3]float64{2 * rng.NormFloat64(), 2 * rng.NormFloat64(), 2 * rng.NormFloat64()}, rng.IntN(len(labels))
		}
		for j, v := range at {
			r.x.Row(i)[j] = v + 0.1*rng.NormFloat64()
		}
		r.class, r.group = append(r.class, label), append(r.group, uint64(i/each))
	}
	r.y = krr.ClassTargets(r.class, len(labels))
	return r
}

// Twelve groups of fifty rows say as much as twelve rows, not as six hundred: no fit takes what
// they have by chance for certain, and what it states of held-out rows holds for other groups.
func TestCalibrationsCountGroups(t *testing.T) {
	t.Parallel()
	const groups, each = 12, 50
	labels := []string{"a", "b", "c"}
	m := gaussianMap(t, 1, 3, 24, 2.5)
	for name, fit := range map[string]func(r *rows, seed uint64) (*krr.Model, *krr.Report, error){
		"sums": func(r *rows, seed uint64) (*krr.Model, *krr.Report, error) {
			return krr.Fit(t.Context(), m, r, krr.Settings{Probabilities: true, Seed: seed})
		},
		"passes": func(r *rows, seed uint64) (*krr.Model, *krr.Report, error) {
			return krr.Fit(t.Context(), m, r, krr.Settings{Probabilities: true, Seed: seed, Folds: 2, Passes: new(krr.Passes)})
		},
		"auto": func(r *rows, seed uint64) (*krr.Model, *krr.Report, error) {
			return krr.Auto(t.Context(), r, krr.AutoSettings{Budget: -1, Fit: krr.Settings{Probabilities: true, Seed: seed}})
		},
	} {
		var stated, fresh []float64
		for seed := range uint64(9) {
			if name == "auto" && seed > 0 {
				break
			}
			rng := rand.New(rand.NewPCG(seed, 78))
			r, other := noiseInGroups(rng, groups, each, labels), noiseInGroups(rng, 300, 5, labels)
			model, report, err := fit(r, seed)
			if err != nil {
				t.Fatalf("%s, seed %d: %v", name, seed, err)
			}
			var p mat.Dense
			if err := model.Probabilities(&p, dense(other.x)); err != nil {
				t.Fatal(err)
			}
			var loss float64
			for i, own := range other.class {
				loss -= math.Log(p.At(i, own)) / float64(len(other.class))
			}
			stated, fresh = append(stated, report.HeldOut.Loss[0]), append(fresh, loss)
			// Rows of a group err nearly alike.
			if least := mat.Min(&p); least < 1.0/(2*groups+3) {
				t.Errorf("%s, seed %d: a probability of %g from %d groups", name, seed, least, groups)
			}
		}
		slices.Sort(stated)
		slices.Sort(fresh)
		says, is := stated[len(stated)/2], fresh[len(fresh)/2]
		if chance := math.Log(3); is > 1.2*chance || name == "sums" && !(says > 0.8*is && says < 1.2*is) {
			t.Errorf("%s: log losses of %g held out and %g of other groups, by chance %g", name, says, is, chance)
		}
	}
}
