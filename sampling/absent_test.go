package sampling

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
)

// Rows of weight 0 are as if absent: every sampler that looks at data gives the same bits without
// them, wherever they stand, whatever they hold and whatever the batches are. (With runs,
// Schema.FoldRows, metric and refined may not: run k has the rows from k·FoldRows on, whatever
// their weights.)
func TestRowsOfWeightZeroAreAbsent(t *testing.T) {
	many, manyAmong := rowsAmongOthers(511) // with a block of others behind them, and a power of two
	// What searches a metric in full fits many times, and takes up rows as its quick form does.
	few, fewAmong := rowsAmongOthers(127)
	slow := map[string]bool{"metric by name": true, "refined by name": true}
	all := map[string]rff.Sampler{"tefm-s of a schema's rows": TEFM{Hadamard: true}, "eerf top": EERF{Fraction: 0.3}}
	for name, s := range onData() {
		all[name] = s.s
	}
	specs := []string{"tefm-g:power=2", "nystrom:pick=rpcholesky", "nystrom:pick=leverage", "nystrom:pick=kmeans++", "nystrom:metric=diagonal", "lkrf:fraction=0.4", "metric:preset=fast", "leverage:sums=float32"}
	for _, e := range dependentSamplers() {
		specs = append(specs, e.name)
	}
	for _, spec := range specs {
		s, err := ByName(spec)
		if err != nil {
			t.Fatal(err)
		}
		all[spec+" by name"] = s
	}
	for name, s := range all {
		var prints []string
		sources := []rff.Source{many, manyAmong}
		if slow[name] {
			sources = []rff.Source{few, fewAmong}
		}
		for _, data := range sources {
			if name == "tefm-s of a schema's rows" {
				schema := data.Schema()
				schema.Rows = int64(data.(*cutSource).x.Rows)
				var err error
				if data, err = rff.WithSchema(data, schema); err != nil {
					t.Fatal(err)
				}
			}
			m, err := s.Sample(t.Context(), rff.Request{Kernel: rff.NewGaussian(0.8), Dim: 3, Features: 12, Data: data, Rand: rand.NewPCG(1, 2)})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			prints = append(prints, m.Fingerprint())
		}
		if len(slices.Compact(prints)) > 1 {
			t.Errorf("%s: another map with rows of weight 0", name)
		}
	}
}

// rowsAmongOthers is the first n rows of weightedWaves, alone and with others of weight 0 among them.
func rowsAmongOthers(n int) (rows, among *cutSource) {
	src := rand.New(rand.NewPCG(5, 6))
	rows, among = weightedWaves(), &cutSource{cut: []int{3, 4, 90, 700}}
	rows = &cutSource{x: rows.x.RowRange(0, n), y: rows.y.RowRange(0, n), weight: rows.weight[:n]}
	among.x, among.y = blas.General[float64]{Cols: rows.x.Cols, Stride: rows.x.Cols}, blas.General[float64]{Cols: rows.y.Cols, Stride: rows.y.Cols}
	add := func(x, y []float64, weight float64) {
		among.x.Data, among.y.Data, among.weight = append(among.x.Data, x...), append(among.y.Data, y...), append(among.weight, weight)
		among.x.Rows, among.y.Rows = among.x.Rows+1, among.y.Rows+1
	}
	for i := range n {
		for count := src.IntN(3); count > 0 || i == 0 && count > -7; count-- { // the first batches have no other rows
			add([]float64{5, src.Float64(), -8}, []float64{100, src.Float64()}, 0)
		}
		add(rows.x.Row(i), rows.y.Row(i), rows.weight[i])
	}
	return rows, among
}
