package trial

import "testing"

// A small fit takes more than its products, by its equations and λ: fits of 60 and 100 rows
// with 64 and 256 features and 12 λ took .3 and .9 ms of a processor of 25 thousand million
// multiply-adds a second, where their products are .01 to .1 of these. Of 1,000
// equations the products are nearly all. Rows of 10,000 inputs are read from memory: fits to 250 of them
// with 64 features took 15 ms, where their products are 4.6. The scores of 26 targets for 9 λ are most of the 33 ms of a
// fit of 4,000 rows with 256 features.
func TestWorkOfSmallFits(t *testing.T) {
	const rate = 2.5e10
	for _, c := range []struct {
		size     Size
		from, to float64 // seconds
	}{
		{Size{In: 8, Targets: 1, Features: 64, Train: 60, Valid: 15, Lambdas: 12}, 2e-4, 8e-4},
		{Size{In: 8, Targets: 1, Features: 256, Train: 100, Valid: 25, Lambdas: 12}, 5e-4, 2e-3},
		{Size{In: 8, Targets: 1, Features: 64, Train: 60, Valid: 15, Lambdas: 3}, 1e-4, 4e-4},
		{Size{In: 8, Targets: 1, Features: 1024, Train: 3000, Valid: 750, Lambdas: 12}, .05, .2},
		{Size{In: 10000, Targets: 1, Features: 64, Train: 250, Valid: 100, Lambdas: 12}, .01, .03},
		{Size{In: 16, Targets: 26, Features: 256, Train: 4000, Valid: 2000, Lambdas: 9}, .022, .045},
	} {
		if s := c.size.Work() / rate; s < c.from || s > c.to {
			t.Errorf("%+v: %.2g s, want %g to %g", c.size, s, c.from, c.to)
		}
	}
	exact := Size{In: 8, Targets: 1, Train: 60, Valid: 15, Lambdas: 12}
	if s := exact.Exact() / rate; s < 2e-4 || s > 1e-3 {
		t.Errorf("exact: %.2g s", s)
	}
	if s := ScalingWork(500, 10000, 2) / rate; s < .3 || s > 1 { // it took .5 s for each of four scalings
		t.Errorf("a scaling: %.2g s", s)
	}
}
