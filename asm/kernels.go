package asm

// Float is the element type of a kernel.
type Float interface{ float32 | float64 }

// Func is the function that a feature kernel applies to a projection t = c + Σₖ xₖwₖ, or to a
// distance t = c + Σₖ |xₖ − wₖ|ᵖ (see Terms).
type Func uint8

const (
	// Cos is weight·cos(2πt): t is measured in turns.
	Cos Func = iota
	// CosSin is the pair weight·cos(2πt), weight2·sin(2πt): t is in turns.
	CosSin
	// Linear is weight·t.
	Linear
	// ArcCos0 is weight·H(t), with H(0) = ½.
	ArcCos0
	// ArcCos1 is weight·max(t, 0).
	ArcCos1
	// ArcCos2 is weight·max(t, 0)².
	ArcCos2
	// SectionGaussian is weight·2^−t, where t is a squared distance; see Func.Section. For all
	// sections a t < 0, which is a rounding error, counts as 0. If t is an ℓ₁ distance, it is a
	// section of the product Laplacian kernel.
	SectionGaussian
	// SectionExponential is weight·2^−√t.
	SectionExponential
	// SectionMatern3 is weight·(1+a)·exp(−a), a = ln 2·√t.
	SectionMatern3
	// SectionMatern5 is weight·(1+a+a²/3)·exp(−a), a = ln 2·√t.
	SectionMatern5
	// SectionCauchy is weight/(1+t).
	SectionCauchy
)

// Outputs returns the number of output columns per projection: 2 for CosSin, otherwise 1.
func (f Func) Outputs() int {
	if f == CosSin {
		return 2
	}
	return 1
}

// Terms says what a projection adds to its phase for every input.
type Terms uint8

const (
	Products    Terms = iota // t = fma(x, w, t)
	Differences              // t = t + |x − w|
	ThreeHalves              // t = t + |x − w|·√|x − w|, each rounded: |x − w| to the power of 3/2
)

// Projection has the operands of a feature kernel: a strip of rows and the frequencies.
//
// W is packed in panels as wide as a tile. W[(p·D+k)·Width+c] is the weight of input k in
// frequency p·Width+c, and the last panel is padded with zeros. Phase, Weight and Weight2 have
// one element per frequency, with the same padding (only CosSin reads Weight2). Weight may be nil
// for Cos and CosSin. Then every weight is Scale, from MinScale to MaxScale, which is faster and
// rounds differently.
type Projection[T Float] struct {
	X    []T // row r starts at X[r·LDX]
	LDX  int
	Rows int
	D    int

	W               []T
	Cols            int // frequencies in all; panels of W = ⌈Cols/Width⌉
	Phase           []T
	Weight, Weight2 []T
	Scale           T

	// Terms other than Products make t a sum of another form, which Cos and CosSin do not have.
	Terms Terms
}

// Output says where a feature kernel writes. Frequency p·Panel+c of row r goes to
// Z[r·RowStride+p·PanelStride+c]; for CosSin the sine goes to the same place of Z2. Only columns
// below Cols are written, so an Output may be a row-major matrix (PanelStride = Panel) or panels
// (RowStride = Panel). If there are several rows, RowStride is at least 1.
type Output[T Float] struct {
	Z, Z2                  []T
	RowStride, PanelStride int

	// Stream says that Z and Z2 will not be read soon, so the kernel may write them past the
	// caches if that is faster. StreamSines says so of Z2 only. They never change a result.
	Stream, StreamSines bool
}

// Kernels is the set of micro-kernels of one instruction set for one element type.
type Kernels[T Float] struct {
	Tuning
	ISA   string // "go", "avx2", "avx512", "neon"
	Panel int    // columns of a panel: of features, and of a product's right operand
	Width int    // columns of a tile, which has whole panels; W is packed in panels of Width

	// Features evaluates f on every (row, frequency) of p:
	//	t = Phase[j]; for k: t = fma(X[r,k], W[k,j], t); z = Weight[j]·f(t)
	// (see Terms for the other t),
	// or, with Weight nil, f of series whose coefficients Scale multiplies (cos.go).
	// It takes all rows through a group of panels (Tuning.GroupBytes of W) before it goes on to
	// the next group, so a caller need not group panels. Give it hundreds of rows at a time. If X
	// and the outputs are read again, give it as many as fit the second-level cache.
	Features func(f Func, p *Projection[T], out *Output[T])

	// Scores evaluates f as Features does and accumulates YᵀZ without storing Z:
	//	for r: acc[i·lda+j] = fma(y[r·ldy+i], z[r,j], acc[i·lda+j])
	// for targets i < targets; for CosSin acc2 takes the sines.
	Scores func(f Func, p *Projection[T], y []T, ldy, targets int, acc, acc2 []T, lda int)

	// Apply evaluates f elementwise on projections already at hand:
	//	z[j] = weight[j]·f(t[j]+phase[j])
	Apply func(f Func, z, z2, t, phase, weight, weight2 []T)

	// Gemm is the tile product of m ≤ MR rows and n columns:
	//	s = 0; for l < k: s = fma(a[l·lda+i], b[(j/Panel)·bStride + l·Panel + j%Panel], s)
	//	c[i·ldc+j] = fma(alpha, s, c[i·ldc+j]), or alpha·s where overwrite is set
	// c must not overlap a or b. next, which may be nil, is memory that a later call will read.
	// While the kernel works, it prefetches ⌈n/Width⌉·k/4 cache lines from the start of next into
	// the second-level cache. If next is the a of the following call, operands may stay in the
	// third level without slowing the product. next never changes a result.
	Gemm func(m, n, k int, alpha T, a []T, lda int, b []T, bStride int, c []T, ldc int, overwrite bool, next []T)

	// Accumulate is Gemm's chain s added to float64 sums: c[i·ldc+j] += float64(s).
	Accumulate func(m, n, k int, a []T, lda int, b []T, bStride int, c []float64, ldc int, next []T)

	// AccumulateWith is Accumulate of MR rows of a to c and of two rows of y to sums, in one pass
	// over b. It is nil if two passes are as fast. c and sums must not overlap.
	AccumulateWith func(n, k int, a []T, lda int, y []T, ldy int, b []T, bStride int, c []float64, ldc int, sums []float64, ldSums int, next []T)

	// Int16 has the products of features rounded to 16 bits, in float32 only. Int8 has those of
	// 8 bits; it is nil if they are not faster.
	Int16, Int8 *Integers[T]

	// Dot is Σ x[i]y[i] over 32 lanes: lane l takes i ≡ l (mod 32) in order as
	// one fused chain, then lane l += lane l+h for h = 16, 8, 4, 2, 1.
	Dot func(x, y []T) T

	// Recur continues a linear recurrence of RecurRows = 8 elements a step, in every lane
	// c of panels panels X = x[q·stride:], and sums the squares of its elements: for s < steps
	//	for i < 8: r[i] = 0; for l < back+8: r[i] = fma(w[(s·(back+8)+l)·8+i], X[(8s+l)·Panel+c], r[i])
	//	for i < 8: X[(8s+back+i)·Panel+c] = r[i]; sums[q·Panel+c] = fma(r[i], r[i], sums[q·Panel+c])
	// with sums[q·Panel+c] = 0 before. So an element takes the back elements before it and the
	// inputs of its step, and replaces its own input. For m steps X has back+8·m rows.
	Recur func(steps, back int, w, x []T, stride, panels int, sums []T)

	// Transpose writes 8 rows of n elements to as many adjacent columns, for i < 8 and l < n
	//	dst[l·ldd+i] = src[i·lds+l]
	// and nothing between them. dst and src must not overlap.
	Transpose func(dst []T, ldd int, src []T, lds, n int)

	// Pack writes rows of n elements as the columns of panels: for q < panels, i < width and l < n
	//	dst[(q·n+l)·width+i] = src[(q·width+i)·lds+l]
	// dst and src must not overlap.
	Pack func(dst []T, width int, src []T, lds, n, panels int)

	// Zip writes pairs of elements: dst[i·ldd] = a[i]; dst[i·ldd+1] = b[i] and nothing
	// between pairs. dst must not overlap a or b.
	Zip func(dst []T, ldd int, a, b []T)

	// Factor replaces the upper triangle of the first n rows and columns of u by its
	// Cholesky factor: with the rows l < i before, for i ≤ j < n
	//	u[i][j] = fma(−u[l][i], u[l][j], u[i][j]);  p = u[i][i];  u[i][i] = √p;  u[i][j] = u[i][j]/√p
	// It returns the row of a p that is not positive and finite, or −1, and p. Other elements of
	// u may change.
	Factor func(u *Square, n int) (row int, p float64)

	// Invert writes the inverse of the upper triangle of the first n rows and columns of
	// u to v, from the last row on: for i < j < n
	//	v[i][i] = 1/u[i][i];  s = 0; for l = i+1 … j: s = fma(u[i][l], v[l][j], s);  v[i][j] = −s/u[i][i]
	// Below the diagonal v must be zero, and stays so. The rest of both may change.
	Invert func(v, u *Square, n int)

	// Hadamard replaces each run of size elements of x, a power of two that
	// divides the length of x, by the unnormalised Walsh–Hadamard transform of
	// its product with d, which is as long as x or nil for none:
	//	x[j] = x[j]·d[j]; for h = 1, 2, 4, …: (a, b) → (a+b, a−b) on pairs h apart
	Hadamard func(x, d []T, size int)

	// Gains adds what each threshold of an input explains of the squared errors of a leaf. A word of
	// sums has two integers (see Unpack), and word u of the rows up to threshold b is
	// sums[u·stride+b]: first the sum s₁ of the errors of a target and the sum w of weights, then
	// those of two more targets each. all has these sums of all rows, of every word the low and the
	// high one. With the sums S and W of all rows
	//	p = Σ sₜ²;  q = Σ (Sₜ − sₜ)²;  v = w + by;  u = W − w + by
	//	gain[b] += (p·u + q·v)/(v·u)
	// where each product is rounded, and the sums take a word's high target before its low one.
	Gains func(gain []float64, sums []int64, stride int, all []float64, by float64)

	// Residuals writes R = c·a + n·b − Y of the ridge loss, with GradientLanes partial
	// sums: with s = 0, for columns j in order and lane l = j mod GradientLanes
	//	s[l] = fma(Z[r,j], A[j,t], s[l]);  s[l] = fma(Z2[r,j], B[j,t], s[l])
	// then s[l] += s[l+h] for h = half of the lanes, …, 2, 1, and R[r,t] = s[0] − Y[r,t].
	// D, GA and GB are not used.
	Residuals func(g *Gradient[T])

	// Forward is Features of CosSin to panels, and then Residuals of these features. out.RowStride
	// must be Panel, and p.Cols whole panels. It gives g the Rows, Panels and features of p and
	// out.
	Forward func(p *Projection[T], out *Output[T], g *Gradient[T])

	// Backward adds the rows' part of the derivatives by the coefficients and writes
	// those by the projections in radians: for rows r in order and every column j
	//	for t: GA[j,t] = fma(R[r,t], Z[r,j], GA[j,t]);  GB[j,t] = fma(R[r,t], Z2[r,j], GB[j,t])
	//	u = v = 0; for t: u = fma(R[r,t], B[j,t], u);  v = fma(R[r,t], A[j,t], v)
	//	D[r,j] = fma(−Z2[r,j], v, Z[r,j]·u)
	// Y is not used. D, GA and GB must not overlap the operands that are read.
	Backward func(g *Gradient[T])

	// Adam takes a step: with the constants rounded to T, for each element
	//	g = fma(Decay, x, Scale·G);  m = fma(1−Beta1, g−m, m);  v = fma(Beta2−1, fma(−g, g, v), v)
	//	x = x − (Rate·m)/fma(√v, Root, Epsilon)
	Adam func(s *Adam[T])

	// Peak runs rounds of independent multiply-adds in registers and returns their number (2 flops
	// each). The peak speed of a machine is measured with it.
	Peak func(rounds int) int
}

// Integers has the products of features that are rounded to integers. A word, of the size of a
// T, holds the integers of Rows rows, 32/Rows bits each, the first row in the lowest bits. So
// the words of a panel of features are a panel of ⌈rows/Rows⌉ rows, and products of words have
// the operands of Accumulate. The sums are exact, and so the same on every instruction set, as
// long as a block has no sum of 2³¹ or more.
type Integers[T Float] struct {
	Rows int // 2 or 4

	// Round replaces the first n rows of a panel z by words: with q = z·factor rounded to T and
	// then to the nearest integer, ties to even, row w has the words of rows Rows·w … Rows·w+Rows−1.
	// Rows after n count as zeros. z has whole words of rows, and Round may use all of them. |q|
	// must be less than 2^(32/Rows−1).
	Round func(z []T, n int, factor []T)

	// Accumulate adds sums of products over k rows of words: with the integers p of a word of a
	// and q of a word of b
	//	s = 0; for l < k: for i < Rows: s += p(a[l·lda+i])ᵢ·q(b[(j/Panel)·bStride + l·Panel + j%Panel])ᵢ
	//	c[i·ldc+j] += float64(s)
	// b must be what Round left, of k rows of words.
	Accumulate func(m, n, k int, a []T, lda int, b []T, bStride int, unit float64, c []float64, ldc int, next []T)
}

// implementation is one instruction set's pair of tables.
type implementation struct {
	isa string
	f64 *Kernels[float64]
	f32 *Kernels[float32]
}

// Lanes is the number of partial sums of Dot.
const Lanes = 32
