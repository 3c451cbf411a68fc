package learn

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/golden"
	"github.com/rffgo/rff/internal/portable"
	"github.com/rffgo/rff/internal/trial"
)

// ridges returns a problem whose target is a few sines along random directions.
func ridges(n, d, targets int, weighted bool) *Problem {
	rng := rand.New(rand.NewPCG(7, 8))
	directions := normals(rng, 3, d)
	rows := func(n int) *trial.Rows {
		r := &trial.Rows{X: normals(rng, n, d), Y: blas.NewGeneral[float64](n, targets)}
		for i := range n {
			for t := range targets {
				for k := range 3 {
					var angle float64
					for j, v := range r.X.Row(i) {
						angle += float64(v * directions.Row(k)[j])
					}
					r.Y.Row(i)[t] += portable.SinPi((angle + float64(t*k)) / 3)
				}
			}
			if weighted {
				r.Weight = append(r.Weight, rng.Float64())
			}
		}
		return r
	}
	return &Problem{Train: rows(n), Valid: rows(n / 4)}
}

// TestRefineLowersTheError: three sines of projections are features that training
// finds and that drawing does not.
func TestRefineLowersTheError(t *testing.T) {
	for _, weighted := range []bool{false, true} {
		p := ridges(1200, 6, 2, weighted)
		start, err := p.Fit(context.Background(), normals(rand.New(rand.NewPCG(1, 1)), 40, 6))
		if err != nil {
			t.Fatal(err)
		}
		epochs := 0
		r := &Refine{Problem: p, Train: p.Train, Inputs: p.Train.X, Epochs: 40, Seed: 3, Done: func(int, func() []byte) error { epochs++; return nil }}
		reached, err := r.Run(context.Background(), start)
		if err != nil || len(reached) != 3 || epochs != 40 {
			t.Fatalf("%d checkpoints in %d epochs, %v", len(reached), epochs, err)
		}
		last := reached[2].Fit
		if !(last.Error < start.Error/4) {
			t.Errorf("weighted %v: the error goes from %.4f to %.4f", weighted, start.Error, last.Error)
		}
		if !p.Better(last, start) || p.Better(start, last) {
			t.Errorf("weighted %v: the rows held out do not tell %.4f from %.4f", weighted, last.Error, start.Error)
		}
	}
}

// TestRefineStops: cancelled, it returns the error of the context.
func TestRefineStops(t *testing.T) {
	p := ridges(600, 4, 1, false)
	start, err := p.Fit(context.Background(), normals(rand.New(rand.NewPCG(1, 1)), 10, 4))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	r := &Refine{Problem: p, Train: p.Train, Inputs: p.Train.X, Epochs: 1000, Seed: 3, Done: func(epoch int, _ func() []byte) error {
		if epoch == 2 {
			stop()
		}
		return nil
	}}
	if _, err := r.Run(ctx, start); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// blurred returns p with noise for targets, which no training lowers the error on.
func blurred(p *Problem) *Problem {
	rng := rand.New(rand.NewPCG(9, 9))
	p.Train.Y, p.Valid.Y = normals(rng, p.Train.Y.Rows, p.Train.Y.Cols), normals(rng, p.Valid.Y.Rows, p.Valid.Y.Cols)
	return p
}

// TestRefineHalves: a training whose first steps are too large for frequencies that are
// nearly right gains at half the rate.
func TestRefineHalves(t *testing.T) {
	p := ridges(1200, 6, 1, false)
	start, err := p.Fit(context.Background(), normals(rand.New(rand.NewPCG(1, 1)), 40, 6))
	if err != nil {
		t.Fatal(err)
	}
	var reached []Checkpoint
	for i, epochs := range []int{40, 12, 12, 12} {
		if i > 0 {
			start = reached[len(reached)-1].Fit
		}
		if reached, err = (&Refine{Problem: p, Train: p.Train, Inputs: p.Train.X, Epochs: epochs, Seed: 3}).Run(context.Background(), start); err != nil {
			t.Fatal(err)
		}
	}
	first, last := reached[0], reached[len(reached)-1]
	if first.Rate != 1 || first.Epoch != 3 || first.Fit.Error <= start.Error {
		t.Fatalf("epoch %d at rate %g has error %g of %g: the test needs steps that are too large", first.Epoch, first.Rate, first.Fit.Error, start.Error)
	}
	if last.Rate == 1 || last.Epoch != 12 || last.Fit.Error >= start.Error {
		t.Errorf("epoch %d at rate %g has error %g of %g", last.Epoch, last.Rate, last.Fit.Error, start.Error)
	}
}

// TestRefineResumes: a training that goes on from any epoch has the bits of one that
// was not stopped, and refuses a state that is damaged or another training's.
func TestRefineResumes(t *testing.T) {
	for _, c := range []struct {
		p     *Problem
		rates []float64 // of the checkpoints
	}{
		{ridges(600, 4, 2, false), []float64{1, 1, 1}},
		{ridges(600, 4, 2, true), []float64{1, 1, 1}},
		{blurred(ridges(600, 4, 2, false)), []float64{1, 0.5, 0.25, 0.25, 0.25}},
	} {
		p := c.p
		start, err := p.Fit(context.Background(), normals(rand.New(rand.NewPCG(1, 1)), 10, 4))
		if err != nil {
			t.Fatal(err)
		}
		var states [][]byte
		r := Refine{Problem: p, Train: p.Train, Inputs: p.Train.X, Epochs: 8, Seed: 3, Done: func(_ int, state func() []byte) error {
			states = append(states, state())
			return nil
		}}
		want, err := r.Run(context.Background(), start)
		if err != nil {
			t.Fatal(err)
		}
		var rates []float64
		for _, w := range want {
			rates = append(rates, w.Rate)
		}
		if !slices.Equal(rates, c.rates) {
			t.Fatalf("checkpoints at rates %v, want %v: the test needs them", rates, c.rates)
		}
		r.Done = nil
		for i, state := range states {
			r.State = state
			got, err := r.Run(context.Background(), start)
			if err != nil || len(got) != len(want) {
				t.Fatalf("after epoch %d: %d checkpoints, %v", i+1, len(got), err)
			}
			for j := range got {
				if got[j].Epoch != want[j].Epoch || got[j].Rate != want[j].Rate || !slices.Equal(got[j].Fit.w.Data, want[j].Fit.w.Data) || got[j].Fit.Error != want[j].Fit.Error {
					t.Errorf("after epoch %d: checkpoint %d differs", i+1, j)
				}
			}
		}
		good := states[3]
		for _, at := range []int{0, 9, 50, 80, len(good) / 2, len(good) - 1} {
			bad := slices.Clone(good)
			bad[at] ^= 1
			r.State = bad
			if _, err := r.Run(context.Background(), start); !errors.Is(err, ErrNoState) {
				t.Errorf("byte %d flipped: %v", at, err)
			}
		}
		for _, n := range []int{0, 7, 40, 72, len(good) - 8} {
			r.State = good[:n]
			if _, err := r.Run(context.Background(), start); !errors.Is(err, ErrNoState) {
				t.Errorf("%d bytes: %v", n, err)
			}
		}
		other := r
		other.Seed, other.State = 4, good
		if _, err := other.Run(context.Background(), start); !errors.Is(err, ErrOtherState) {
			t.Errorf("another seed: %v", err)
		}
	}
}

// TestRefineNotFinite: targets beyond float32 end the training with what there was.
func TestRefineNotFinite(t *testing.T) {
	p := ridges(600, 4, 1, false)
	for i := range p.Train.Y.Data {
		p.Train.Y.Data[i] *= 1e200
	}
	start, err := p.Fit(context.Background(), normals(rand.New(rand.NewPCG(1, 1)), 10, 4))
	if err != nil {
		t.Fatal(err)
	}
	reached, err := (&Refine{Problem: p, Train: p.Train, Inputs: p.Train.X, Epochs: 4, Seed: 3}).Run(context.Background(), start)
	if err != nil || len(reached) != 0 {
		t.Errorf("%d checkpoints, %v", len(reached), err)
	}
}

// TestGolden: the same bits on every platform and for any number of workers.
func TestGolden(t *testing.T) {
	results := func(e blas.Engine) map[string]string {
		all := map[string]string{}
		for name, weighted := range map[string]bool{"equal": false, "weighted": true} {
			p := ridges(520, 5, 2, weighted)
			p.Engine = e
			w0 := normals(rand.New(rand.NewPCG(1, 1)), 20, 5)
			m := &Metric{Problem: p, W0: w0, Unit: 2, Rounds: 2}
			one := Transform{Scale: []float64{1, 1, 1, 1, 1}}
			steps, _, fit, err := m.Start(context.Background(), one)
			if err != nil {
				t.Fatal(err)
			}
			var d golden.Digest
			for _, root := range []Root{Half, Quarter} {
				next, best, err := m.Run(context.Background(), steps[0], fit, root, 2)
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range next {
					d.Add(s.B.Full.Data...)
					d.Add(s.Error, float64(s.Octave))
				}
				d.Add(best.w.Data...)
			}
			all["metric/"+name] = d.Sum()
			r := &Refine{Problem: p, Train: p.Train, Inputs: p.Train.X, Epochs: 4, Seed: 3}
			d = golden.Digest{}
			if _, err := r.Start(context.Background(), fit, func(_, err float64) { d.Add(err) }); err != nil {
				t.Fatal(err)
			}
			all["start/"+name] = d.Sum()
			reached, err := r.Run(context.Background(), fit)
			if err != nil {
				t.Fatal(err)
			}
			d = golden.Digest{}
			for _, c := range reached {
				d.Add(c.Fit.w.Data...)
				d.Add(c.Fit.Error, c.Fit.Lambda)
			}
			all["refined/"+name] = d.Sum()
		}
		return all
	}
	make := func() map[string]string { return results(blas.Engine{Workers: 1}) }
	want := golden.Want(t, make)
	golden.Compare(t, "1 worker", make(), want)
	golden.Compare(t, "3 workers", results(blas.Engine{Workers: 3}), want)
}
