package sampling

import (
	"context"
	"errors"
	"iter"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
)

// clustered returns n rows of two inputs: a cloud, and one row in 50 far off.
func clustered(t *testing.T, n int) (rff.Source, *mat.Dense) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 3))
	x := mat.NewDense(n, 2, nil)
	for i := range n {
		c := 0.0
		if i%50 == 0 {
			c = float64(1+i/50%8) * 10
		}
		x.SetRow(i, []float64{c + 0.3*rng.NormFloat64(), rng.NormFloat64()})
	}
	s, err := rff.FromMatrix(x, mat.NewDense(n, 1, nil))
	if err != nil {
		t.Fatal(err)
	}
	return s, x
}

// Every pick takes distinct rows of the data, the same for the same seed, and those
// that look at the kernel leave less of it than uniform rows.
func TestNystromPicks(t *testing.T) {
	const n, m = 1200, 24
	data, x := clustered(t, n)
	k := rff.NewGaussian(1.5)
	left := map[string]float64{}
	for _, pick := range landmarkPicks {
		for seed := range uint64(8) {
			sample := func() *rff.Map {
				f, err := Nystrom{Pick: pick}.Sample(context.Background(), rff.Request{Kernel: k, Dim: 2, Features: m, Data: data, Rand: rand.NewPCG(seed, 1)})
				if err != nil {
					t.Fatal(err)
				}
				return f
			}
			f := sample()
			if f.Fingerprint() != sample().Fingerprint() {
				t.Errorf("%s: the same seed gives another map", pick)
			}
			seen := map[[2]float64]bool{}
			for i := range n {
				seen[[2]float64(x.RawRowView(i))] = true
			}
			for i := range m {
				c := [2]float64(inside.Spec(f).W.Row(i))
				if !seen[c] {
					t.Errorf("%s: landmark %v is no row, or is one twice", pick, c)
				}
				delete(seen, c)
			}
			var z mat.Dense
			if err := f.Transform(&z, x); err != nil {
				t.Fatal(err)
			}
			left[pick] += (n - math.Pow(mat.Norm(&z, 2), 2)) / n / 8 // of the trace, mean of 8
		}
	}
	t.Logf("left of the trace: %v", left)
	for _, pick := range landmarkPicks[1:] {
		if !(left[pick] < 0.9*left["uniform"]) {
			t.Errorf("%s leaves %g of the trace, uniform rows %g", pick, left[pick], left["uniform"])
		}
	}
}

// Blocks of proposals with rejection draw as one row after the other does: on four
// rows, of which two are alike, the chances of the pair picked are those that the
// definition gives.
func TestNystromCholeskyChances(t *testing.T) {
	x := mat.NewDense(4, 1, []float64{0, 0.5, 2, 5})
	data, err := rff.FromMatrix(x, mat.NewDense(4, 1, nil))
	if err != nil {
		t.Fatal(err)
	}
	k := rff.NewGaussian(1)
	want := map[[2]float64]float64{}
	for i := range 4 {
		var d [4]float64
		sum := 0.0
		for j := range 4 {
			v := k.Eval(x.RawRowView(i), x.RawRowView(j))
			d[j] = 1 - v*v
			sum += d[j]
		}
		for j := range 4 {
			a, b := x.At(i, 0), x.At(j, 0)
			want[[2]float64{min(a, b), max(a, b)}] += d[j] / sum / 4
		}
	}
	const draws = 1500
	got := map[[2]float64]float64{}
	src := rand.NewPCG(5, 5)
	for range draws {
		f, err := Nystrom{Pick: "rpcholesky"}.Sample(context.Background(), rff.Request{Kernel: k, Dim: 1, Features: 2, Data: data, Rand: src})
		if err != nil {
			t.Fatal(err)
		}
		a, b := inside.Spec(f).W.Row(0)[0], inside.Spec(f).W.Row(1)[0]
		got[[2]float64{min(a, b), max(a, b)}] += 1. / draws
	}
	for pair, p := range want { // six pairs, 4.5 standard deviations
		if e := math.Abs(got[pair] - p); e > 4.5*math.Sqrt(p*(1-p)/draws)+1e-12 {
			t.Errorf("rows %v: picked with chance %.4f, want %.4f", pair, got[pair], p)
		}
	}
}

// The first and the second row of four are picked with the chances that the definition of
// the seeding of kernel k-means gives.
func TestNystromSpreadChances(t *testing.T) {
	x := mat.NewDense(4, 1, []float64{0, 0.5, 2, 5})
	data, err := rff.FromMatrix(x, mat.NewDense(4, 1, nil))
	if err != nil {
		t.Fatal(err)
	}
	k := rff.NewGaussian(1)
	type pair [2]float64
	of := func(a, b float64) pair { return pair{min(a, b), max(a, b)} }
	want := map[pair]float64{}
	for a := range 4 {
		var d [4]float64
		sum := 0.0
		for b := range 4 {
			d[b] = 2 - 2*k.Eval(x.RawRowView(a), x.RawRowView(b))
			sum += d[b]
		}
		for b := range 4 {
			want[of(x.At(a, 0), x.At(b, 0))] += d[b] / sum / 4
		}
	}
	const draws = 1500
	got := map[pair]float64{}
	src := rand.NewPCG(5, 5)
	for range draws {
		f, err := Nystrom{Pick: "kmeans++"}.Sample(context.Background(), rff.Request{Kernel: k, Dim: 1, Features: 2, Data: data, Rand: src})
		if err != nil {
			t.Fatal(err)
		}
		got[of(inside.Spec(f).W.Row(0)[0], inside.Spec(f).W.Row(1)[0])] += 1. / draws
	}
	for at, p := range want { // six pairs, 4.5 standard deviations
		if e := math.Abs(got[at] - p); e > 4.5*math.Sqrt(p*(1-p)/draws)+1e-12 {
			t.Errorf("rows %v are picked with chance %.4f, want %.4f", at, got[at], p)
		}
	}
}

// Leverage scores from two rows are those of the formula, whose inverse is of a 2×2
// matrix; from all rows they are the diagonal of K(K+nλI)⁻¹.
func TestNystromLeverageScores(t *testing.T) {
	const n, lambda = 4, 0.3
	x := mat.NewDense(n, 1, []float64{0, 0.5, 2, 5})
	k := rff.NewGaussian(1)
	at := func(i, j int) float64 { return k.Eval(x.RawRowView(i), x.RawRowView(j)) }
	p := &landmarkPool{q: &request{Request: rff.Request{Kernel: k, Dim: 1, Features: 2, Rand: rand.NewPCG(1, 1)}, sampler: "nystrom"}, x: blas.General[float64]{Rows: n, Cols: 1, Stride: 1, Data: x.RawMatrix().Data}}
	check := func(some []int, want []float64) {
		got, err := p.scores(lambda, some)
		if err != nil {
			t.Fatal(err)
		}
		total := 0.0
		for _, v := range want {
			total += v
		}
		for i, v := range want {
			if math.Abs(got[i]-v/total) > 1e-12 {
				t.Errorf("from rows %v: score of row %d is %.12g, want %.12g", some, i, got[i], v/total)
			}
		}
	}
	const a, b = 1, 3
	diagonal, off := 1+2*lambda, at(a, b)
	two := make([]float64, n)
	for i := range n {
		u, v := at(i, a), at(i, b)
		two[i] = 1 - (diagonal*(u*u+v*v)-2*off*u*v)/(diagonal*diagonal-off*off)
	}
	check([]int{a, b}, two)
	kernel, ridged := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			kernel.Set(i, j, at(i, j))
			ridged.Set(i, j, at(i, j))
		}
		ridged.Set(i, i, 1+n*lambda)
	}
	var inverse, hat mat.Dense
	if err := inverse.Inverse(ridged); err != nil {
		t.Fatal(err)
	}
	hat.Mul(kernel, &inverse)
	all := make([]float64, n)
	for i := range n {
		all[i] = hat.At(i, i)
	}
	check([]int{0, 1, 2, 3}, all)
}

// Every row has the same chance of being a uniform landmark, the last as the first, and
// a pool of as many rows as landmarks is those rows.
func TestNystromUniformAndPool(t *testing.T) {
	const n, m, draws = 10, 4, 3000
	x := mat.NewDense(n, 1, nil)
	for i := range n {
		x.Set(i, 0, float64(i))
	}
	data, err := rff.FromMatrix(x, mat.NewDense(n, 1, nil))
	if err != nil {
		t.Fatal(err)
	}
	var count [n]float64
	rows := func(s Nystrom, seed uint64) (set [n]bool) {
		f, err := s.Sample(context.Background(), rff.Request{Kernel: rff.NewGaussian(1), Dim: 1, Features: m, Data: data, Rand: rand.NewPCG(seed, 9)})
		if err != nil {
			t.Fatal(err)
		}
		for i := range m {
			set[int(inside.Spec(f).W.Row(i)[0])] = true
		}
		return set
	}
	for seed := range uint64(draws) {
		set := rows(Nystrom{}, seed)
		for i, in := range set {
			if in {
				count[i]++
			}
		}
		if seed < 20 {
			for _, pick := range landmarkPicks {
				if got := rows(Nystrom{Pick: pick, Multiple: 1}, seed); got != set {
					t.Fatalf("%s of a pool of %d rows: %v, the pool is %v", pick, m, got, set)
				}
			}
		}
	}
	for i, c := range count {
		const p = float64(m) / n
		if e := math.Abs(c - draws*p); e > 4.5*math.Sqrt(draws*p*(1-p)) {
			t.Errorf("row %d is a landmark %v times of %d, want %v", i, c, draws, draws*p)
		}
	}
}

// Fewer distinct rows than landmarks are filled up with others; fewer rows are refused,
// as are kernels without sections and unknown words.
func TestNystromEdges(t *testing.T) {
	x := mat.NewDense(40, 2, nil)
	for i := range 40 {
		x.SetRow(i, []float64{float64(i % 3), 1})
	}
	data, err := rff.FromMatrix(x, mat.NewDense(40, 1, nil))
	if err != nil {
		t.Fatal(err)
	}
	var few *rff.DegenerateDataError
	for _, pick := range landmarkPicks {
		f, err := Nystrom{Pick: pick}.Sample(context.Background(), rff.Request{Kernel: rff.NewGaussian(1), Dim: 2, Features: 20, Data: data, Rand: rand.NewPCG(1, 1)})
		if err != nil {
			t.Fatal(err)
		}
		if _, out := f.Dims(); out != 20 {
			t.Errorf("%s: %d columns", pick, out)
		}
		if _, err := (Nystrom{Pick: pick}).Sample(context.Background(), rff.Request{Kernel: rff.NewGaussian(1), Dim: 2, Features: 41, Data: data, Rand: rand.NewPCG(1, 1)}); !errors.As(err, &few) {
			t.Errorf("%s: 41 landmarks of 40 rows: %v", pick, err)
		}
	}
	var p *rff.ParameterError
	for name, call := range map[string]func() error{
		"word":   func() error { _, err := ByName("nystrom:pick=best"); return err },
		"option": func() error { _, err := ByName("nystrom:form=pair"); return err },
		"pick": func() error {
			_, err := Nystrom{Pick: "best"}.Sample(context.Background(), rff.Request{Kernel: rff.NewGaussian(1), Dim: 2, Features: 5, Data: data, Rand: rand.NewPCG(1, 1)})
			return err
		},
		"kernel": func() error {
			_, err := Nystrom{}.Sample(context.Background(), rff.Request{Kernel: rff.NewCauchy(1), Dim: 2, Features: 5, Data: data, Rand: rand.NewPCG(1, 1)})
			return err
		},
	} {
		if err := call(); !errors.As(err, &p) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Rows of weight 0 are no rows.
	w := make([]float64, 40)
	for i := range 7 {
		w[i] = 1
	}
	if _, err := (Nystrom{}).Sample(context.Background(), rff.Request{Kernel: rff.NewGaussian(1), Dim: 2, Features: 8, Data: weightedRows{data, w}, Rand: rand.NewPCG(1, 1)}); !errors.As(err, &few) {
		t.Errorf("8 landmarks of 7 rows of positive weight: %v", err)
	}
}

// weightedRows gives the rows of a source weights.
type weightedRows struct {
	rff.Source
	w []float64
}

func (s weightedRows) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	return func(yield func(rff.Batch, error) bool) {
		for b, err := range s.Source.Batches(ctx) {
			b.Weight = s.w[b.First:][:b.X.Rows]
			if !yield(b, err) {
				return
			}
		}
	}
}

// Rows that fill up those picked are different ones, and scores that rounding takes below 0
// leave every row a chance.
func TestNystromFillsAndFloors(t *testing.T) {
	const n = 30
	x := blas.NewGeneral[float64](n, 1)
	for i := range n {
		x.Data[i] = 100 * float64(i) // the kernel is the identity
	}
	p := &landmarkPool{q: &request{Request: rff.Request{Kernel: rff.NewGaussian(1), Dim: 1, Features: n, Rand: rand.NewPCG(1, 1)}, sampler: "nystrom"}, x: x}
	var seen [n]int
	for _, i := range p.fill([]int{7, 3}) {
		seen[i]++
	}
	for i, k := range seen {
		if k != 1 {
			t.Errorf("row %d is picked %d times", i, k)
		}
	}
	scores, err := p.scores(1e-18, []int{0, 10, 20, 29})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range scores {
		if !(v > 0) {
			t.Errorf("row %d has the chance %g", i, v)
		}
	}
}

// Picking landmarks counts for at least the products that give the factor of the pool, pool·m²/2, which would be all at
// the full rate without a proposal that is rejected, and for no more than eight times as much, twice what was measured.
func TestNystromWorkOfPicking(t *testing.T) {
	const m = 1 << 16 // beside which inputs and single rows are nothing
	task := inside.Task{Rows: 1 << 30, In: 1, Targets: 1, Features: m}
	picking := inside.Work(Nystrom{Pick: "rpcholesky"}, task) - inside.Work(Nystrom{}, task)
	if products := 10. * m * m * m / 2; picking < products || picking > 8*products {
		t.Errorf("picking counts for %g, the products for %g", picking, products)
	}
}
