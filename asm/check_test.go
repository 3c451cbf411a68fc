package asm

import (
	"math"
	"testing"
)

// TestChecks gives every kernel sizes that its slices do not bear out.
func TestChecks(t *testing.T) {
	for _, k := range All[float64]() {
		n := k.Width
		features := func(change func(p *Projection[float64], o *Output[float64])) func() {
			p := &Projection[float64]{X: make([]float64, 15), LDX: 5, Rows: 3, D: 5, Cols: n + 1, W: make([]float64, 10*n),
				Phase: make([]float64, 2*n), Weight: make([]float64, 2*n), Weight2: make([]float64, 2*n)}
			o := &Output[float64]{Z: make([]float64, 3*(n+1)), Z2: make([]float64, 3*(n+1)), RowStride: n + 1, PanelStride: k.Panel}
			change(p, o)
			return func() { k.Features(CosSin, p, o) }
		}
		scores := func(rows, ldy, targets, y, acc, acc2, lda int) func() {
			p := &Projection[float64]{X: make([]float64, 15), LDX: 5, Rows: rows, D: 5, Cols: n, W: make([]float64, 5*n),
				Phase: make([]float64, n), Weight: make([]float64, n), Weight2: make([]float64, n)}
			return func() {
				k.Scores(CosSin, p, make([]float64, y), ldy, targets, make([]float64, acc), make([]float64, acc2), lda)
			}
		}
		type P = Projection[float64]
		type O = Output[float64]
		const huge = math.MaxInt
		for name, c := range map[string]struct {
			do   func()
			want any
		}{
			"right":             {features(func(p *P, o *O) {}), nil},
			"no rows":           {features(func(p *P, o *O) { p.Rows, p.X = 0, nil }), nil},
			"no inputs":         {features(func(p *P, o *O) { p.D, p.LDX, p.X, p.W = 0, 0, nil, nil }), nil},
			"short x":           {features(func(p *P, o *O) { p.X = p.X[1:] }), errShortX},
			"short w":           {features(func(p *P, o *O) { p.W = p.W[1:] }), errShortW},
			"short phase":       {features(func(p *P, o *O) { p.Phase = p.Phase[1:] }), errShortCols},
			"short weight":      {features(func(p *P, o *O) { p.Weight = p.Weight[1:] }), errShortCols},
			"short weight2":     {features(func(p *P, o *O) { p.Weight2 = p.Weight2[1:] }), errShortCols},
			"one weight":        {features(func(p *P, o *O) { p.Weight, p.Weight2, p.Scale = nil, nil, 0.5 }), nil},
			"no weight":         {features(func(p *P, o *O) { p.Weight = nil }), errBadScale},
			"negative weight":   {features(func(p *P, o *O) { p.Weight, p.Scale = nil, -1 }), errBadScale},
			"huge weight":       {features(func(p *P, o *O) { p.Weight, p.Scale = nil, 0x1p65 }), errBadScale},
			"NaN weight":        {features(func(p *P, o *O) { p.Weight, p.Scale = nil, math.NaN() }), errBadScale},
			"short z":           {features(func(p *P, o *O) { o.Z = o.Z[1:] }), errShortZ},
			"short z2":          {features(func(p *P, o *O) { o.Z2 = o.Z2[1:] }), errShortZ},
			"terms of cosines":  {features(func(p *P, o *O) { p.Terms = Differences }), errTerms},
			"powers of cosines": {features(func(p *P, o *O) { p.Terms = ThreeHalves }), errTerms},
			"negative rows":     {features(func(p *P, o *O) { p.Rows = -1 }), errBadStride},
			"negative d":        {features(func(p *P, o *O) { p.D = -1 }), errBadStride},
			"negative cols":     {features(func(p *P, o *O) { p.Cols = -1 }), errBadStride},
			"narrow ldx":        {features(func(p *P, o *O) { p.LDX = 4 }), errBadStride},
			"negative stride":   {features(func(p *P, o *O) { o.RowStride = -1 }), errBadStride},
			"huge rows":         {features(func(p *P, o *O) { p.Rows = huge }), errShortX},
			"huge ldx":          {features(func(p *P, o *O) { p.LDX = huge }), errShortX},
			"wrapping ldx":      {features(func(p *P, o *O) { p.LDX = huge/2 + 2 }), errShortX},
			"huge d":            {features(func(p *P, o *O) { p.D, p.LDX = huge, huge }), errShortX},
			"huge d, one row":   {features(func(p *P, o *O) { p.D, p.Rows = huge/4, 1 }), errShortX},
			"huge cols":         {features(func(p *P, o *O) { p.Cols = huge }), errShortCols},
			"huge row stride":   {features(func(p *P, o *O) { o.RowStride = huge }), errShortZ},
			"huge panel stride": {features(func(p *P, o *O) { o.PanelStride = huge - n }), errShortZ},
			"scores":            {scores(3, 2, 2, 6, 2*n, 2*n, n), nil},
			"short y":           {scores(3, 2, 2, 5, 2*n, 2*n, n), errShortY},
			"short acc":         {scores(3, 2, 2, 6, 2*n-1, 2*n, n), errShortAcc},
			"short acc2":        {scores(3, 2, 2, 6, 2*n, 2*n-1, n), errShortAcc},
			"narrow ldy":        {scores(3, 1, 2, 6, 2*n, 2*n, n), errBadStride},
			"narrow lda":        {scores(3, 2, 2, 6, 2*n, 2*n, n-1), errBadStride},
			"negative targets":  {scores(3, 2, -1, 6, 2*n, 2*n, n), errBadStride},
			"huge targets":      {scores(1, 2, huge, 6, 2*n, 2*n, n), errShortY},
			"huge lda":          {scores(3, 2, 2, 6, 2*n, 2*n, huge), errShortAcc},
			"unknown function": {func() {
				k.Apply(SectionCauchy+1, nil, nil, nil, nil, nil, nil)
			}, errUnknownFunc},
			"apply lengths": {func() {
				k.Apply(Cos, make([]float64, 3), nil, make([]float64, 3), make([]float64, 3), make([]float64, 2), nil)
			}, errLength},
		} {
			if got := panicOf(c.do); got != c.want {
				t.Errorf("%s: %s: panic %v, want %v", k.ISA, name, got, c.want)
			}
		}
	}
}

// FuzzFeatures gives the kernels arbitrary sizes and strides: they compute what
// the reference kernel computes, guards included, or panic with a constant as it does.
func FuzzFeatures(f *testing.F) {
	f.Add(uint8(0), int64(3), int64(5), int64(5), int64(17), int64(20), int64(16), int64(2), int64(2), int64(20), uint16(200))
	f.Add(uint8(1), int64(9), int64(2), int64(3), int64(40), int64(8), int64(80), int64(1), int64(1), int64(40), uint16(900))
	f.Add(uint8(1), int64(1), int64(math.MaxInt64), int64(math.MaxInt64/2), int64(3), int64(8), int64(math.MaxInt64), int64(1), int64(1), int64(40), uint16(900))
	f.Fuzz(func(t *testing.T, fn uint8, rows, d, ldx, cols, rowStride, panelStride, targets, ldy, lda int64, size uint16) {
		for _, k := range All[float32]() {
			if k.ISA == "go" {
				continue
			}
			plain := reference[float32]("reference", k.Tuning)
			buf := func() []float32 { return guarded[float32](int(size)) }
			in := buf()
			for i := range in {
				in[i] = float32(i%17)/8 - 1
			}
			p := &Projection[float32]{X: in, LDX: int(ldx), Rows: int(rows), D: int(d), W: in, Cols: int(cols), Phase: in, Weight: in, Weight2: in, Terms: Terms(size % 3)}
			run := func(k *Kernels[float32]) (z, z2 []float32, v any) {
				z, z2 = buf(), buf()
				o := &Output[float32]{Z: z[1 : len(z)-min(1, len(z)-1)], Z2: z2, RowStride: int(rowStride), PanelStride: int(panelStride)}
				if mayOverlap(p, o, k.Panel) {
					return z, z2, nil
				}
				v = panicOf(func() { k.Features(Func(fn%8), p, o) })
				if v == nil {
					v = panicOf(func() {
						k.Scores(Func(fn%8), p, in, int(ldy), int(targets), z, z2, int(lda))
					})
				}
				return z, z2, v
			}
			if size == 0 {
				return
			}
			z, z2, v := run(k)
			wantZ, wantZ2, want := run(plain)
			if v != want {
				t.Fatalf("%s panics with %v, the reference kernel with %v", k.ISA, v, want)
			}
			if _, constant := v.(string); v != nil && !constant {
				t.Fatalf("%s panics with %v", k.ISA, v)
			}
			if err := sameBits(z, wantZ); err != nil {
				t.Fatal(err)
			}
			if err := sameBits(z2, wantZ2); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// mayOverlap reports whether two outputs of p may share an element: allowed, but
// then the order of writing shows.
func mayOverlap(p *Projection[float32], o *Output[float32], panel int) bool {
	if p.Rows < 0 || p.Cols < 0 || o.RowStride < 0 || o.PanelStride < 0 {
		return false
	}
	panels := (p.Cols-1)/panel + 1
	rows := o.RowStride >= (panels-1)*o.PanelStride+panel && o.PanelStride >= panel
	block := o.PanelStride >= (p.Rows-1)*o.RowStride+panel && o.RowStride >= panel
	return !rows && !block
}
