package eigen

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
)

const eps = 0x1p-52

// orthogonal returns a random orthogonal matrix, by gonum's QR.
func orthogonal(n int, rng *rand.Rand) *mat.Dense {
	a := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			a.Set(i, j, rng.NormFloat64())
		}
	}
	var qr mat.QR
	qr.Factorize(a)
	var q mat.Dense
	qr.QTo(&q)
	return &q
}

// withSpectrum returns Q·diag(d)·Qᵀ for a random Q, exactly symmetric.
func withSpectrum(d []float64, rng *rand.Rand) blas.General[float64] {
	n := len(d)
	q := orthogonal(n, rng)
	var a mat.Dense
	a.Product(q, mat.NewDiagDense(n, d), q.T())
	return symmetric(n, func(i, j int) float64 { return a.At(i, j) })
}

func symmetric(n int, f func(i, j int) float64) blas.General[float64] {
	a := blas.NewGeneral[float64](n, n)
	for i := range n {
		for j := range i + 1 {
			v := f(i, j)
			a.Data[i*n+j], a.Data[j*n+i] = v, v
		}
	}
	return a
}

// matrices returns one of every kind that goes wrong somewhere.
func matrices(n int) map[string]blas.General[float64] {
	rng := rand.New(rand.NewPCG(uint64(n), 5))
	normal := func(i, j int) float64 { return rng.NormFloat64() }
	spectrum := func(f func(i int) float64) blas.General[float64] {
		d := make([]float64, n)
		for i := range d {
			d[i] = f(i)
		}
		return withSpectrum(d, rng)
	}
	all := map[string]blas.General[float64]{
		"random":    symmetric(n, normal),
		"graded":    symmetric(n, func(i, j int) float64 { return rng.NormFloat64() * math.Pow(10, -float64(i+j)) }),
		"rising":    symmetric(n, func(i, j int) float64 { return rng.NormFloat64() * math.Pow(10, float64(i+j-2*n)) }),
		"decades":   spectrum(func(i int) float64 { return math.Pow(10, -16*float64(i)/float64(n)) }),
		"clustered": spectrum(func(i int) float64 { return 1 + float64(i%3)*1e-14 }),
		"two":       spectrum(func(i int) float64 { return float64(i % 2) }),
		"singular":  spectrum(func(i int) float64 { return float64(max(0, i-n/2)) }),
		"mixed":     spectrum(func(i int) float64 { return float64(i) - float64(n)/2 }),
		"zero":      blas.NewGeneral[float64](n, n),
		"ones":      symmetric(n, func(i, j int) float64 { return 1 }),
		"wilkinson": symmetric(n, func(i, j int) float64 {
			switch i - j {
			case 0:
				return math.Abs(float64(n-1)/2 - float64(i))
			case 1:
				return 1
			}
			return 0
		}),
		"diagonal": symmetric(n, func(i, j int) float64 {
			if i == j {
				return float64((i*7)%n) - 1
			}
			return 0
		}),
		"subnormal": symmetric(n, func(i, j int) float64 { return float64(rng.IntN(9)-4) * 0x1p-1074 }),
		"small":     symmetric(n, func(i, j int) float64 { return rng.NormFloat64() * 0x1p-1000 }),
		"large":     symmetric(n, func(i, j int) float64 { return rng.NormFloat64() * 0x1p1000 }),
		"range":     symmetric(n, func(i, j int) float64 { return math.Ldexp(rng.NormFloat64(), -rng.IntN(1100)) }),
		"tiny tail": symmetric(n, func(i, j int) float64 {
			if i == j {
				return 1
			}
			return rng.NormFloat64() * 0x1p-520 // squares lose their digits
		}),
	}
	return all
}

// check holds the decomposition to its definition: the residual and the loss of
// orthogonality. A Householder reduction has a backward error of some n·eps·‖A‖
// at worst (Higham, "Accuracy and stability", Lemma 19.3), as have the QL steps;
// rounding errors of either sign leave about √n of it. sum is exact enough.
func check(t *testing.T, name string, a, v blas.General[float64], d []float64) {
	t.Helper()
	n := a.Rows
	// A power of two makes squares safe.
	_, exp := scaled(a)
	scale := math.Ldexp(1, -min(1000, max(-1000, exp)))
	var norm float64
	for _, x := range a.Data {
		norm += x * scale * x * scale
	}
	norm = math.Sqrt(norm) // Frobenius
	var residual, ortho float64
	av := product(n, func(i, k int) float64 { return a.Data[i*n+k] * scale }, func(k, j int) float64 { return v.Data[k*n+j] })
	vv := product(n, func(i, k int) float64 { return v.Data[k*n+i] }, func(k, j int) float64 { return v.Data[k*n+j] })
	for i := range n {
		for j := range n {
			r := av[i*n+j] - v.Data[i*n+j]*(d[j]*scale)
			residual += r * r
			o := vv[i*n+j]
			if i == j {
				o--
			}
			ortho += o * o
		}
	}
	bound := 2 * float64(n) * eps
	// d of a subnormal matrix is rounded to a multiple of 2⁻¹⁰⁷⁴.
	grain := 0x1p-1074 * scale * math.Sqrt(float64(n))
	if r := math.Sqrt(residual); !(r <= bound*norm+grain) {
		t.Errorf("%s: ‖AV−VD‖ = %.2g·n·eps·‖A‖", name, r/(float64(n)*eps*norm))
	}
	if o := math.Sqrt(ortho); !(o <= bound*math.Sqrt(float64(n))) {
		t.Errorf("%s: ‖VᵀV−I‖ = %.2g·n·eps", name, o/(float64(n)*eps))
	}
	for i := 1; i < n; i++ {
		if !(d[i-1] <= d[i]) {
			t.Errorf("%s: eigenvalues %d and %d are %g, %g", name, i-1, i, d[i-1], d[i])
		}
	}
}

// product returns a·b in 106 bits, by error-free products and compensated sums.
func product(n int, a, b func(i, j int) float64) []float64 {
	out := make([]float64, n*n)
	for i := range n {
		for j := range n {
			var hi, lo float64
			for k := range n {
				x, y := a(i, k), b(k, j)
				p := x * y
				e := math.FMA(x, y, -p)
				s := hi + p
				z := s - hi
				lo += (hi - (s - z)) + (p - z) + e
				hi = s
			}
			out[i*n+j] = hi + lo
		}
	}
	return out
}

func TestSymmetric(t *testing.T) {
	for _, n := range []int{1, 2, 3, 5, 16, 31, 32, 33, 34, 64, 65, 97, 150} {
		if testing.Short() && n > 65 {
			break
		}
		for name, a := range matrices(n) {
			name = fmt.Sprintf("%s, n=%d", name, n)
			before := append([]float64(nil), a.Data...)
			v, d, err := Symmetric(blas.Engine{}, a)
			if err != nil {
				t.Fatal(name, err)
			}
			for i, x := range before {
				if a.Data[i] != x {
					t.Fatalf("%s: element %d was changed", name, i)
				}
			}
			check(t, name, a, v, d)
			// Weyl: eigenvalues are off by the backward error at most, gonum's too.
			var eig mat.EigenSym
			var norm float64
			for _, x := range before {
				norm = max(norm, math.Abs(x))
			}
			if norm > 0x1p-900 && norm < 0x1p900 && eig.Factorize(mat.NewSymDense(n, before), false) {
				for i, want := range eig.Values(nil) {
					if math.Abs(d[i]-want) > 4*float64(n)*eps*float64(n)*norm {
						t.Errorf("%s: eigenvalue %d is %g, gonum's %g", name, i, d[i], want)
					}
				}
			}
		}
	}
	if v, d, err := Symmetric(blas.Engine{}, blas.NewGeneral[float64](0, 0)); err != nil || v.Rows != 0 || len(d) != 0 {
		t.Errorf("an empty matrix: %v, %v", d, err)
	}
}

// Eigenvalues in 200 bits, by Jacobi's method, which converges for every
// symmetric matrix.
func TestSymmetricAgainst200Bits(t *testing.T) {
	const n = 9
	for name, a := range matrices(n) {
		want := jacobi(a)
		_, d, err := Symmetric(blas.Engine{}, a)
		if err != nil {
			t.Fatal(name, err)
		}
		var most float64
		for _, w := range want {
			most = max(most, math.Abs(w))
		}
		for i, w := range want {
			if e := math.Abs(d[i] - w); !(e <= n*eps*most+0x1p-1074) {
				t.Errorf("%s: eigenvalue %d is %v, in 200 bits %v: off by %.2g·eps·‖A‖", name, i, d[i], w, e/(eps*most))
			}
		}
	}
}

// jacobi returns the ascending eigenvalues, by cyclic sweeps in 200 bits.
func jacobi(a blas.General[float64]) []float64 {
	n := a.Rows
	num := func(x float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(x) }
	op := func() *big.Float { return new(big.Float).SetPrec(200) }
	m := make([][]*big.Float, n)
	for i := range m {
		for j := range n {
			m[i] = append(m[i], num(a.Data[i*n+j]))
		}
	}
	for range 30 {
		for p := range n {
			for q := p + 1; q < n; q++ {
				if m[p][q].Sign() == 0 {
					continue
				}
				// θ = (a_qq − a_pp)/(2a_pq), t = sign(θ)/(|θ| + √(θ²+1)).
				theta := op().Quo(op().Sub(m[q][q], m[p][p]), op().Mul(num(2), m[p][q]))
				root := op().Sqrt(op().Add(op().Mul(theta, theta), num(1)))
				tan := op().Quo(num(1), op().Add(op().Abs(theta), root))
				if theta.Sign() < 0 {
					tan.Neg(tan)
				}
				c := op().Quo(num(1), op().Sqrt(op().Add(op().Mul(tan, tan), num(1))))
				s := op().Mul(tan, c)
				turn := func(x, y **big.Float) {
					u := op().Sub(op().Mul(c, *x), op().Mul(s, *y))
					v := op().Add(op().Mul(s, *x), op().Mul(c, *y))
					*x, *y = u, v
				}
				for k := range n {
					turn(&m[p][k], &m[q][k])
				}
				for k := range n {
					turn(&m[k][p], &m[k][q])
				}
			}
		}
	}
	out := make([]float64, n)
	for i := range out {
		out[i], _ = m[i][i].Float64()
	}
	order(out, blas.General[float64]{})
	return out
}

// Eigenvalues and vectors known in closed form: 2 − 2cos(πk/(n+1)), and
// sin(πk(i+1)/(n+1)), for the second difference.
func TestTridiagonal(t *testing.T) {
	for _, n := range []int{1, 2, 3, 40, 81} {
		for _, scale := range []float64{1, 0x1p-900, 0x1p900} {
			diag, beside := make([]float64, n), make([]float64, n-1)
			for i := range n {
				diag[i] = 2 * scale
				if i+1 < n {
					beside[i] = -scale
				}
			}
			if err := ql(diag, append(beside, 0), nil); err != nil {
				t.Fatal(err)
			}
			order(diag, blas.General[float64]{})
			for k, got := range diag {
				want := (2 - 2*math.Cos(math.Pi*float64(k+1)/float64(n+1))) * scale
				if !(math.Abs(got-want) <= 4*float64(n)*eps*scale) {
					t.Errorf("n=%d, scale %g: eigenvalue %d is %v, want %v", n, scale, k, got, want)
				}
			}
		}
	}
}

func TestNotFinite(t *testing.T) {
	a := symmetric(6, func(i, j int) float64 { return math.NaN() })
	if _, _, err := Symmetric(blas.Engine{}, a); !errors.Is(err, ErrNoConvergence) {
		t.Errorf("a matrix of NaN: %v", err)
	}
	if err := ql([]float64{1, math.NaN(), 2}, []float64{1, 1, 0}, nil); !errors.Is(err, ErrNoConvergence) {
		t.Errorf("a tridiagonal matrix with a NaN: %v", err)
	}
}

// The largest |eigenvalue|, also where it is negative, and where a start with
// little of its eigenvector must find it.
func TestNorm(t *testing.T) {
	for _, n := range []int{1, 2, 3, 79, 80, 81, 200} {
		for name, a := range matrices(n) {
			got, err := Norm(blas.Engine{}, a)
			if err != nil {
				t.Fatal(name, n, err)
			}
			_, d, err := Symmetric(blas.Engine{}, a)
			if err != nil {
				t.Fatal(name, n, err)
			}
			want := max(math.Abs(d[0]), math.Abs(d[n-1]))
			if !(math.Abs(got-want) <= 1e-7*want) {
				t.Errorf("%s, n=%d: norm %v, want %v", name, n, got, want)
			}
		}
	}
}

// The same bits on every instruction set and for any number of workers.
func TestSameBits(t *testing.T) {
	n := 300 // more than one panel of the reduction
	if testing.Short() {
		n = 100
	}
	a := matrices(n)["random"]
	var want []float64
	for _, k := range asm.All[float64]() {
		b, err := blas.Lookup("native:" + k.ISA)
		if err != nil {
			t.Fatal(err)
		}
		for _, workers := range []int{1, 3} {
			v, d, err := Symmetric(blas.Engine{Backend: b, Workers: workers}, a)
			if err != nil {
				t.Fatal(err)
			}
			got := append(append([]float64(nil), v.Data...), d...)
			if want == nil {
				want = got
			}
			for i := range got {
				if got[i] != want[i] {
					t.Fatalf("%s, %d workers: number %d is %v, not %v", k.ISA, workers, i, got[i], want[i])
				}
			}
		}
	}
}

func BenchmarkSymmetric(b *testing.B) {
	for _, n := range []int{256, 1024} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 2))
			a := symmetric(n, func(i, j int) float64 { return rng.NormFloat64() })
			for b.Loop() {
				if _, _, err := Symmetric(blas.Engine{}, a); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("gonum/n=%d", n), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 2))
			a := symmetric(n, func(i, j int) float64 { return rng.NormFloat64() })
			for b.Loop() {
				var eig mat.EigenSym
				eig.Factorize(mat.NewSymDense(n, append([]float64(nil), a.Data...)), true)
			}
		})
	}
}
