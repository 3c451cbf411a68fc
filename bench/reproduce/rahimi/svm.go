package rahimi

import (
	"context"
	"math"

	"github.com/rffgo/rff/blas"
)

// The dual of a support vector machine,
//
//	min ½ αᵀQα + pᵀα  over  yᵀα = 0, 0 ≤ α ≤ C,  Q_ij = y_i·y_j·K_ij,
//
// is solved by sequential minimal optimisation: two variables at a time, chosen by
// second-order information (R.-E. Fan, P.-H. Chen, C.-J. Lin, "Working set selection
// using second order information for training support vector machines", JMLR
// 6:1889–1918, 2005), until the largest violation of the optimality conditions is below
// the tolerance. Variable i belongs to row i mod n of the kernel matrix: a regression has
// two variables per row.
type dual struct {
	k     blas.General[float64]
	y     []float64 // ±1, of the variables
	p     []float64
	c     float64
	alpha []float64
	grad  []float64 // Qα + p
}

// tolerance of the optimality conditions, LIBSVM's default.
const tolerance = 1e-3

// machine is a fitted support vector machine: f(x) = Σ coef_i·k(x_i, x) + offset.
type machine struct {
	coef       []float64 // of the rows
	offset     float64
	vectors    int // rows with a coefficient
	iterations int
	converged  bool // within the most iterations
}

// classify fits labels ±1 with the hinge loss, C times its sum.
func classify(ctx context.Context, k blas.General[float64], y []float64, c float64) (*machine, error) {
	d := newDual(k, y, c)
	for i := range d.p {
		d.p[i] = -1
	}
	return d.machine(ctx)
}

// regress fits targets with the loss max(0, |y − f| − ε), C times its sum.
func regress(ctx context.Context, k blas.General[float64], target []float64, c, epsilon float64) (*machine, error) {
	n := len(target)
	signs := make([]float64, 2*n)
	for i := range n {
		signs[i], signs[n+i] = 1, -1
	}
	d := newDual(k, signs, c)
	for i, t := range target {
		d.p[i], d.p[n+i] = epsilon-t, epsilon+t
	}
	return d.machine(ctx)
}

func newDual(k blas.General[float64], y []float64, c float64) *dual {
	return &dual{k: k, y: y, p: make([]float64, len(y)), c: c, alpha: make([]float64, len(y))}
}

func (d *dual) machine(ctx context.Context) (*machine, error) {
	n := d.k.Rows
	d.grad = append([]float64(nil), d.p...) // at α = 0
	m := &machine{coef: make([]float64, n)}
	most := 200 * max(n, 1000)
	for ; m.iterations < most; m.iterations++ {
		if m.iterations%1000 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		i, j := d.pair()
		if j < 0 {
			m.converged = true
			break
		}
		d.step(i, j)
	}
	for i, a := range d.alpha {
		m.coef[i%n] += float64(d.y[i] * a)
	}
	for _, v := range m.coef {
		if v != 0 {
			m.vectors++
		}
	}
	m.offset = d.offset()
	return m, nil
}

// up says that y_i·α_i may grow, low that it may fall.
func (d *dual) up(i int) bool {
	if d.y[i] > 0 {
		return d.alpha[i] < d.c
	}
	return d.alpha[i] > 0
}

func (d *dual) low(i int) bool {
	if d.y[i] > 0 {
		return d.alpha[i] > 0
	}
	return d.alpha[i] < d.c
}

// least is the least curvature: a pair of equal rows has none.
const least = 1e-12

// pair returns the variables of the next step: the one that violates the conditions
// most, and with it the one that lets the objective fall most; j < 0: none does.
func (d *dual) pair() (i, j int) {
	i, j = -1, -1
	worst := math.Inf(-1)
	for t, g := range d.grad {
		if v := -d.y[t] * g; v >= worst && d.up(t) {
			worst, i = v, t
		}
	}
	if i < 0 {
		return -1, -1
	}
	n := d.k.Rows
	row := d.k.Row(i % n)
	best, lowest := 0.0, math.Inf(1)
	for first := 0; first < len(d.grad); first += n {
		for r, g := range d.grad[first : first+n] {
			t := first + r
			v := -d.y[t] * g
			if v >= worst || !d.low(t) {
				continue
			}
			lowest = min(lowest, v)
			b := worst - v
			// K_ii = K_tt = 1
			if gain := float64(b*b) / max(2-2*row[r], least); gain > best {
				best, j = gain, t
			}
		}
	}
	if !(worst-lowest >= tolerance) {
		return i, -1
	}
	return i, j
}

// step moves α_i and α_j to the least objective within their bounds.
func (d *dual) step(i, j int) {
	n := d.k.Rows
	ri, rj := d.k.Row(i%n), d.k.Row(j%n)
	// y_i·α_i grows by as much as y_j·α_j falls.
	move := (float64(-d.y[i]*d.grad[i]) + float64(d.y[j]*d.grad[j])) / max(2-2*ri[j%n], least)
	if d.y[i] > 0 {
		move = min(move, d.c-d.alpha[i])
	} else {
		move = min(move, d.alpha[i])
	}
	if d.y[j] > 0 {
		move = min(move, d.alpha[j])
	} else {
		move = min(move, d.c-d.alpha[j])
	}
	d.alpha[i] = d.clip(d.alpha[i] + float64(d.y[i]*move))
	d.alpha[j] = d.clip(d.alpha[j] - float64(d.y[j]*move))
	for first := 0; first < len(d.grad); first += n {
		grad, y := d.grad[first:first+n], d.y[first:first+n]
		for t := range grad {
			grad[t] += float64(y[t] * float64(move*(ri[t]-rj[t])))
		}
	}
}

// clip puts a coefficient that rounding left next to a bound on it.
func (d *dual) clip(a float64) float64 {
	switch {
	case a < 1e-12*d.c:
		return 0
	case a > d.c*(1-1e-12):
		return d.c
	}
	return a
}

// offset is the mean of −y_i·∇_i over the variables between the bounds, where the
// margin is exact, or the middle of what the others allow.
func (d *dual) offset() float64 {
	var sum, count float64
	low, high := math.Inf(-1), math.Inf(1)
	for t, g := range d.grad {
		v := -d.y[t] * g
		up, down := d.up(t), d.low(t)
		switch {
		case up && down:
			sum, count = sum+v, count+1
		case up:
			low = max(low, v)
		case down:
			high = min(high, v)
		}
	}
	if count > 0 {
		return sum / count
	}
	return (low + high) / 2
}
