package sampling

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
)

// outcome runs f and returns its error, or what it panicked with.
func outcome(f func() error) (panicked any, err error) {
	defer func() { panicked = recover() }()
	return nil, f()
}

// typed reports whether err has a type that a program can tell apart.
func typed(err error) bool {
	for _, target := range []any{new(*rff.ParameterError), new(*rff.ShapeError), new(*rff.ValueError), new(*rff.DegenerateDataError)} {
		if errors.As(err, target) {
			return true
		}
	}
	return false
}

// broken is a base sampler of a program's own that is wrong.
type broken struct{ m *rff.Map }

func (b broken) Sample(context.Context, rff.Request) (*rff.Map, error) {
	return b.m, nil
}

// batches is a Source that yields what it is made of.
type batches struct {
	dim, targets int
	all          []rff.Batch
}

func (s batches) Schema() rff.Schema {
	return rff.Schema{Inputs: make([]rff.Column, s.dim), Target: rff.Target{Columns: s.targets}}
}

func (s batches) Batches(context.Context) iter.Seq2[rff.Batch, error] {
	return func(yield func(rff.Batch, error) bool) {
		for _, b := range s.all {
			if !yield(b, nil) {
				return
			}
		}
	}
}

// everySampler is every sampler, those on data included.
func everySampler(t *testing.T) map[string]rff.Sampler {
	all := map[string]rff.Sampler{}
	for _, name := range names() {
		s, err := ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = s
	}
	all["leverage published"] = Leverage{Published: true}
	all["surrogate published"] = Surrogate{Published: true}
	all["halton published"] = Halton{Published: true}
	all["compact sign"] = Compact{Projection: "sign"}
	all["eerf of sorf"] = EERF{Pool: Pool{Base: SORF{}}}
	return all
}

// Nil, zero and absurd arguments are typed errors, before memory is taken.
func TestArguments(t *testing.T) {
	ctx, none := context.Background(), context.Context(nil)
	const d, huge = 3, math.MaxInt - 1
	data := waves(50, d, 1)
	for name, s := range everySampler(t) {
		k := kernelFor(s, rff.NewGaussian(1))
		src := rand.NewPCG(1, 2)
		for what, f := range map[string]func() error{
			"ctx": func() error {
				_, err := s.Sample(none, rff.Request{Kernel: k, Dim: d, Features: 8, Data: data, Rand: src})
				return err
			},
			"dim 0": func() error {
				_, err := s.Sample(ctx, rff.Request{Kernel: k, Dim: 0, Features: 8, Data: data, Rand: src})
				return err
			},
			"dim -1": func() error {
				_, err := s.Sample(ctx, rff.Request{Kernel: k, Dim: -1, Features: 8, Data: data, Rand: src})
				return err
			},
			"dim huge": func() error {
				_, err := s.Sample(ctx, rff.Request{Kernel: k, Dim: huge, Features: 8, Data: data, Rand: src})
				return err
			},
			"features 0": func() error {
				_, err := s.Sample(ctx, rff.Request{Kernel: k, Dim: d, Features: 0, Data: data, Rand: src})
				return err
			},
			"features -2": func() error {
				_, err := s.Sample(ctx, rff.Request{Kernel: k, Dim: d, Features: -2, Data: data, Rand: src})
				return err
			},
			"features huge": func() error {
				_, err := s.Sample(ctx, rff.Request{Kernel: k, Dim: d, Features: huge, Data: data, Rand: src})
				return err
			},
			"features most": func() error {
				_, err := s.Sample(ctx, rff.Request{Kernel: k, Dim: d, Features: math.MaxInt32 - 1, Data: data, Rand: src})
				return err
			},
			"kernel of its own": func() error {
				_, err := s.Sample(ctx, rff.Request{Kernel: struct{ rff.Kernel }{rff.NewLinear()}, Dim: d, Features: 8, Data: data, Rand: src})
				return err
			},
			"src": func() error {
				if name == "halton published" {
					return &rff.ParameterError{} // it draws nothing
				}
				_, err := s.Sample(ctx, rff.Request{Kernel: k, Dim: d, Features: 8, Data: data, Rand: nil})
				return err
			},
		} {
			if panicked, err := outcome(f); panicked != nil || !typed(err) {
				t.Errorf("%s, %s: %v, panic %v", name, what, err, panicked)
			}
		}
	}

	other, err := rff.New(rff.NewGaussian(1), d+1, 32, rand.NewPCG(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	x, y := blas.NewGeneral[float64](4, d), blas.NewGeneral[float64](4, 1)
	y.Data[0] = 1
	source := func(b rff.Batch) rff.Source { return batches{d, 1, []rff.Batch{{First: 0, X: x, Y: y}, b}} }
	g := rff.NewGaussian(1)
	for name, f := range map[string]func(src rand.Source) (*rff.Map, error){
		"pool multiple": func(src rand.Source) (*rff.Map, error) {
			return Surrogate{Pool: Pool{Multiple: -1}}.Sample(ctx, rff.Request{Kernel: g, Dim: d, Features: 4, Data: data, Rand: src})
		},
		"pool multiple huge": func(src rand.Source) (*rff.Map, error) {
			return Surrogate{Pool: Pool{Multiple: huge}}.Sample(ctx, rff.Request{Kernel: g, Dim: d, Features: 4, Data: data, Rand: src})
		},
		"pool size": func(src rand.Source) (*rff.Map, error) {
			return Leverage{Pool: Pool{Size: 3}}.Sample(ctx, rff.Request{Kernel: g, Dim: d, Features: 4, Data: data, Rand: src})
		},
		"pool size huge": func(src rand.Source) (*rff.Map, error) {
			return Leverage{Pool: Pool{Size: huge}}.Sample(ctx, rff.Request{Kernel: g, Dim: d, Features: 4, Data: data, Rand: src})
		},
		"pick": func(src rand.Source) (*rff.Map, error) {
			return EERF{Pool: Pool{Pick: "best"}}.Sample(ctx, rff.Request{Kernel: g, Dim: d, Features: 4, Data: data, Rand: src})
		},
		"published, and more": func(src rand.Source) (*rff.Map, error) {
			return Surrogate{Published: true, Raw: true}.Sample(ctx, rff.Request{Kernel: g, Dim: d, Features: 4, Data: data, Rand: src})
		},
		"published, and a pool": func(src rand.Source) (*rff.Map, error) {
			return Leverage{Published: true, Pool: Pool{Multiple: 8}}.Sample(ctx, rff.Request{Kernel: g, Dim: d, Features: 4, Data: data, Rand: src})
		},
		"lambda": func(src rand.Source) (*rff.Map, error) {
			return Leverage{Lambda: -1}.Sample(ctx, rff.Request{Kernel: g, Dim: d, Features: 4, Data: data, Rand: src})
		},
		"lambda NaN": func(src rand.Source) (*rff.Map, error) {
			return Surrogate{Lambda: math.NaN()}.Sample(ctx, rff.Request{Kernel: g, Dim: d, Features: 4, Data: data, Rand: src})
		},
		"lambda infinite": func(src rand.Source) (*rff.Map, error) {
			return SES{Lambda: math.Inf(1)}.Sample(ctx, rff.Request{Kernel: g, Dim: d, Features: 4, Data: data, Rand: src})
		},
		"fraction": func(src rand.Source) (*rff.Map, error) {
			return EERF{Fraction: 1.5}.Sample(ctx, rff.Request{Kernel: g, Dim: d, Features: 4, Data: data, Rand: src})
		},
		"fraction NaN": func(src rand.Source) (*rff.Map, error) {
			return EERF{Fraction: math.NaN()}.Sample(ctx, rff.Request{Kernel: g, Dim: d, Features: 4, Data: data, Rand: src})
		},
		"rho": func(src rand.Source) (*rff.Map, error) {
			return LKRF{Rho: -1}.Sample(ctx, rff.Request{Kernel: g, Dim: d, Features: 4, Data: data, Rand: src})
		},
		"pairs": func(src rand.Source) (*rff.Map, error) {
			return SES{Pairs: -1}.Sample(ctx, rff.Request{Kernel: g, Dim: d, Features: 4, Data: data, Rand: src})
		},
		"pairs huge": func(src rand.Source) (*rff.Map, error) {
			return SES{Pairs: huge}.Sample(ctx, rff.Request{Kernel: g, Dim: d, Features: 4, Data: data, Rand: src})
		},
		"power": func(src rand.Source) (*rff.Map, error) {
			return TEFM{Power: -1}.Sample(ctx, rff.Request{Kernel: g, Dim: d, Features: 4, Data: data, Rand: src})
		},
		"projection": func(src rand.Source) (*rff.Map, error) {
			return Compact{Projection: "none"}.Sample(ctx, rff.Request{Kernel: g, Dim: d, Features: 4, Data: data, Rand: src})
		},
		"compact multiple": func(src rand.Source) (*rff.Map, error) {
			return Compact{Multiple: -1}.Sample(ctx, rff.Request{Kernel: g, Dim: d, Features: 4, Data: data, Rand: src})
		},
		"compact features": func(src rand.Source) (*rff.Map, error) {
			return Compact{Projection: "sign"}.Sample(ctx, rff.Request{Kernel: g, Dim: d, Features: 1 << 20, Data: data, Rand: src})
		},
		"form": func(src rand.Source) (*rff.Map, error) {
			return ORF{Form: "9"}.Sample(ctx, rff.Request{Kernel: g, Dim: d, Features: 4, Data: data, Rand: src})
		},
		"order": func(src rand.Source) (*rff.Map, error) {
			return MonteCarlo{}.Sample(ctx, rff.Request{Kernel: rff.NewArcCosine(3), Dim: d, Features: 4, Data: data, Rand: src})
		},
		"no base": func(src rand.Source) (*rff.Map, error) {
			return EERF{Pool: Pool{Base: broken{}}}.Sample(ctx, rff.Request{Kernel: g, Dim: d, Features: 4, Data: data, Rand: src})
		},
		"base of another d": func(src rand.Source) (*rff.Map, error) {
			return EERF{Pool: Pool{Base: broken{other}}}.Sample(ctx, rff.Request{Kernel: g, Dim: d, Features: 4, Data: data, Rand: src})
		},
		"tefm: no base": func(src rand.Source) (*rff.Map, error) {
			return TEFM{Base: broken{}}.Sample(ctx, rff.Request{Kernel: g, Dim: d, Features: 4, Data: data, Rand: src})
		},
		"compact: no base": func(src rand.Source) (*rff.Map, error) {
			return Compact{Base: broken{}}.Sample(ctx, rff.Request{Kernel: g, Dim: d, Features: 4, Data: data, Rand: src})
		},
		"batch of another d": func(src rand.Source) (*rff.Map, error) {
			return Surrogate{}.Sample(ctx, rff.Request{Kernel: g, Dim: d, Features: 4, Data: source(rff.Batch{X: blas.NewGeneral[float64](2, 2), Y: y}), Rand: src})
		},
		"batch without Y": func(src rand.Source) (*rff.Map, error) {
			return Surrogate{}.Sample(ctx, rff.Request{Kernel: g, Dim: d, Features: 4, Data: source(rff.Batch{X: x}), Rand: src})
		},
		"batch of less Y": func(src rand.Source) (*rff.Map, error) {
			return EERF{}.Sample(ctx, rff.Request{Kernel: g, Dim: d, Features: 4, Data: source(rff.Batch{X: x, Y: y.RowRange(0, 2)}), Rand: src})
		},
		"batch, few weights": func(src rand.Source) (*rff.Map, error) {
			return Leverage{}.Sample(ctx, rff.Request{Kernel: g, Dim: d, Features: 4, Data: source(rff.Batch{X: x, Y: y, Weight: make([]float64, 3)}), Rand: src})
		},
		"negative weight": func(src rand.Source) (*rff.Map, error) {
			return Leverage{}.Sample(ctx, rff.Request{Kernel: g, Dim: d, Features: 4, Data: source(rff.Batch{X: x, Y: y, Weight: []float64{1, -1, 1, 1}}), Rand: src})
		},
		"weight NaN": func(src rand.Source) (*rff.Map, error) {
			return TEFM{}.Sample(ctx, rff.Request{Kernel: g, Dim: d, Features: 4, Data: source(rff.Batch{X: x, Y: y, Weight: []float64{1, math.NaN(), 1, 1}}), Rand: src})
		},
		"weight infinite": func(src rand.Source) (*rff.Map, error) {
			return TEFM{}.Sample(ctx, rff.Request{Kernel: g, Dim: d, Features: 4, Data: source(rff.Batch{X: x, Y: y, Weight: []float64{1, math.Inf(1), 1, 1}}), Rand: src})
		},
		"ses: another d": func(src rand.Source) (*rff.Map, error) {
			return SES{}.Sample(ctx, rff.Request{Kernel: g, Dim: d, Features: 4, Data: source(rff.Batch{X: blas.NewGeneral[float64](2, 2)}), Rand: src})
		},
	} {
		panicked, err := outcome(func() error { _, err := f(rand.NewPCG(3, 3)); return err })
		if panicked != nil || !typed(err) {
			t.Errorf("%s: %v, panic %v", name, err, panicked)
		}
	}

	for name, f := range map[string]func() error{
		"NewSobol most":          func() error { _, err := newScrambledSobol(maxSobol+1, rand.NewPCG(1, 1)); return err },
		"NewSobol src":           func() error { _, err := newScrambledSobol(2, nil); return err },
		"NewPublishedHalton 126": func() error { _, err := newPublishedHalton(126); return err },
		"ByName":                 func() error { _, err := ByName(""); return err },
	} {
		if panicked, err := outcome(f); panicked != nil || !typed(err) {
			t.Errorf("%s: %v, panic %v", name, err, panicked)
		}
	}
	if fmt.Sprint(kernelFor(nil, g)) != fmt.Sprint(g) {
		t.Error("KernelFor without a sampler")
	}
}

// limited is a context that is done after so many questions.
type limited struct {
	context.Context
	asked, after int
}

func (c *limited) Err() error {
	if c.asked++; c.asked > c.after {
		return context.Canceled
	}
	return nil
}

// Every long loop asks its context: for every sampler, at a size where it takes a
// fraction of a second, the context is asked at least once per some tens of
// milliseconds of work, and whenever it says no the sampler stops.
func TestLongLoopsAskTheContext(t *testing.T) {
	for _, c := range []struct {
		name        string
		s           rff.Sampler
		d, features int
		rows        int
		least       int // questions
	}{
		// 1024 points of so many coordinates are half a million each.
		{"rff", MonteCarlo{}, 500, 1024, 0, 4},
		{"halton", Halton{}, 500, 1024, 0, 4},
		{"sobol", Sobol{}, 500, 1024, 0, 4},
		{"orf", ORF{}, 400, 1600, 0, 800}, // a row at a time
		{"sorf", SORF{}, 500, 4096, 0, 4}, // a block at a time
		{"fastfood", Fastfood{}, 500, 4096, 0, 4},
		{"compact", Compact{}, 500, 256, 0, 4},
		{"compact sign", Compact{Projection: "sign"}, 4, 256, 0, 1024}, // a row of the projection at a time
		{"arccos", ofKernel{rff.NewArcCosine(1)}, 500, 1024, 0, 1024},
		{"eerf", EERF{}, 4, 64, 4000, 3},                                   // a batch at a time
		{"eerf of sorf", EERF{Pool: Pool{Base: SORF{}}}, 40, 256, 200, 16}, // and each block written out
		{"ses", SES{Pairs: 20000}, 4, 64, 500, 20000/504 + 3},              // a block of pairs at a time
		{"tefm", TEFM{}, 4, 256, 600, 4},
	} {
		var data rff.Source
		if c.rows > 0 {
			w := waves(c.rows, c.d, 1)
			for range 20 {
				w.cut = append(w.cut, c.rows/10)
			}
			data = w
		}
		k := kernelFor(c.s, rff.NewGaussian(5))
		count := &limited{Context: context.Background(), after: math.MaxInt}
		if _, err := c.s.Sample(count, rff.Request{Kernel: k, Dim: c.d, Features: c.features, Data: data, Rand: rand.NewPCG(1, 1)}); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if count.asked < c.least {
			t.Errorf("%s: asks its context %d times, want at least %d", c.name, count.asked, c.least)
		}
		for _, after := range []int{0, 1, count.asked / 2, count.asked - 1} {
			ctx := &limited{Context: context.Background(), after: after}
			if m, err := c.s.Sample(ctx, rff.Request{Kernel: k, Dim: c.d, Features: c.features, Data: data, Rand: rand.NewPCG(1, 1)}); m != nil || !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v after %d of %d questions", c.name, err, after, count.asked)
			} else if ctx.asked > after+1 {
				t.Errorf("%s: goes on after its context said no", c.name)
			}
		}
	}
	h := blas.NewGeneral[float64](3, 3)
	for i := range 3 {
		h.Row(i)[i] = 1
	}
	if _, err := nonNegative(&limited{Context: context.Background(), after: 1}, blas.Engine{}, h, []float64{1, -1, 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("non-negative least squares: %v", err)
	}
}

// The digits' images are those of a shuffle of all digits at once, in whatever
// order they are asked for, and few are held where few are.
func TestHaltonImages(t *testing.T) {
	const dim = 600 // the last base is 4409, beyond wholeBase
	h := newHalton(dim, rand.NewPCG(5, 6)).(*halton)
	for j, b := range h.bases {
		if j > 20 && j < 590 {
			continue
		}
		for l := range 2 {
			stream := rand.NewPCG(h.seed[0]+uint64(j), h.seed[1]+uint64(l))
			want := make([]int, b)
			for i := range want {
				want[i] = i
			}
			for i := range b - 1 {
				at := i + intN(stream, b-i)
				want[i], want[at] = want[at], want[i]
			}
			got := make([]int, b)
			for n := range b {
				digit := (n*7 + 3) % b // 7 is prime to all bases but itself
				if b == 7 {
					digit = n
				}
				got[digit] = h.image(j, l, digit)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("base %d, position %d: %v, want %v", b, l, got, want)
			}
		}
	}
	// Sixteen points of 3000 coordinates, whose bases beyond wholeBase add up to 36 million.
	h = newHalton(3000, rand.NewPCG(5, 6)).(*halton)
	u := make([]float64, 3000)
	for range 16 {
		h.Next(u)
	}
	held := 0
	for j, levels := range h.levels {
		for _, l := range levels {
			if h.bases[j] <= wholeBase {
				continue
			}
			held += len(l.images) + len(l.moved)
		}
	}
	if most := 3000 * (2*16 + 64); held > most {
		t.Errorf("%d images held, want at most %d", held, most)
	}
	for i := range u {
		if !(u[i] > 0 && u[i] < 1) {
			t.Fatalf("coordinate %d is %g", i, u[i])
		}
	}
}

// rff.New and MonteCarlo draw the same map.
func TestMonteCarloIsNew(t *testing.T) {
	for _, form := range []rff.Form{rff.CosSin, rff.CosBias} {
		for _, k := range []rff.Stationary{rff.NewGaussian(0.5), rff.NewMatern(2.5, 1, 2, 3), rff.NewLaplacian(2)} {
			want, err := rff.New(k, 3, 66, rand.NewPCG(8, 9), form)
			if err != nil {
				t.Fatal(err)
			}
			got, err := MonteCarlo{Form: form}.Sample(context.Background(), rff.Request{Kernel: k, Dim: 3, Features: 66, Rand: rand.NewPCG(8, 9)})
			if err != nil {
				t.Fatal(err)
			}
			if got.Fingerprint() != want.Fingerprint() || got.Kernel() == nil || !mat.Equal(mat.NewDense(33, 3, inside.Spec(got).W.Data[:99]), mat.NewDense(33, 3, inside.Spec(want).W.Data[:99])) {
				t.Errorf("%v, %v: another map", k, form)
			}
		}
	}
}
