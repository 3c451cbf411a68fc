package asm

import "math"

// SquareRows is the most rows of a Square.
const SquareRows = 32

// A Square is a triangle of at most SquareRows rows in float64, or its inverse.
type Square [SquareRows][SquareRows]float64

func checkSquare(n int) {
	if n < 0 || n > SquareRows {
		panic(errBadTile)
	}
}

// rowsTogether rows of a square are brought up to date together, so that each row above is read
// once for all of them.
const rowsTogether = 4

// factorGo is Kernels.Factor.
func factorGo(u *Square, n int) (int, float64) {
	var minus Square // −u of the rows that are done
	for i := 0; i < n; i += rowsTogether {
		end := min(i+rowsTogether, n)
		if i > 0 && end == i+rowsTogether {
			u.update(&minus, i, n)
		} else if i > 0 {
			for r := i; r < end; r++ {
				u.updateRow(&minus, r, r, n, 0, i)
			}
		}
		for r := i; r < end; r++ {
			u.updateRow(&minus, r, r, n, i, r)
			row := u[r][:n]
			p := row[r]
			if !(p > 0) || math.IsInf(p, 1) {
				return r, p
			}
			p = math.Sqrt(p)
			row[r] = p
			for j := r + 1; j < n; j++ {
				v := row[j] / p
				row[j], minus[r][j] = v, -v
			}
		}
	}
	return -1, 0
}

// update takes rows i … i+3 through the chains over the rows before i. It updates the columns from
// their diagonal to n−1, and also some columns below the diagonal.
func (u *Square) update(minus *Square, i, n int) {
	a, b, c, d := &u[i], &u[i+1], &u[i+2], &u[i+3]
	j := i
	for ; j+2 <= n; j += 2 {
		a0, a1, b0, b1 := a[j], a[j+1], b[j], b[j+1]
		c0, c1, d0, d1 := c[j], c[j+1], d[j], d[j+1]
		for l := range i {
			x := (*[2]float64)(u[l][j:])
			m := (*[4]float64)(minus[l][i:])
			x0, x1 := x[0], x[1]
			a0, a1 = math.FMA(m[0], x0, a0), math.FMA(m[0], x1, a1)
			b0, b1 = math.FMA(m[1], x0, b0), math.FMA(m[1], x1, b1)
			c0, c1 = math.FMA(m[2], x0, c0), math.FMA(m[2], x1, c1)
			d0, d1 = math.FMA(m[3], x0, d0), math.FMA(m[3], x1, d1)
		}
		a[j], a[j+1], b[j], b[j+1] = a0, a1, b0, b1
		c[j], c[j+1], d[j], d[j+1] = c0, c1, d0, d1
	}
	if j < n {
		for r := i; r < i+rowsTogether; r++ {
			u.updateRow(minus, r, j, n, 0, i)
		}
	}
}

// updateRow takes columns j … n−1 of row r through the chain over rows l … end−1.
func (u *Square) updateRow(minus *Square, r, j, n, l, end int) {
	row := u[r][j:n]
	for ; l < end; l++ {
		v, above := minus[l][r], u[l][j:n]
		for c, x := range above {
			row[c] = math.FMA(v, x, row[c])
		}
	}
}

// invertGo is Kernels.Invert.
func invertGo(v, u *Square, n int) {
	for i := n - 1; i >= 0; i-- {
		p, row, to := u[i][i], &u[i], &v[i]
		to[i] = 1 / p
		j := i + 1
		for ; j+4 <= n; j += 4 {
			var s0, s1, s2, s3 float64
			for l := i + 1; l <= j; l++ {
				x, y := row[l], (*[4]float64)(v[l][j:])
				s0, s1, s2, s3 = math.FMA(x, y[0], s0), math.FMA(x, y[1], s1), math.FMA(x, y[2], s2), math.FMA(x, y[3], s3)
			}
			x := row[j+1]
			s1, s2, s3 = math.FMA(x, v[j+1][j+1], s1), math.FMA(x, v[j+1][j+2], s2), math.FMA(x, v[j+1][j+3], s3)
			x = row[j+2]
			s2, s3 = math.FMA(x, v[j+2][j+2], s2), math.FMA(x, v[j+2][j+3], s3)
			s3 = math.FMA(row[j+3], v[j+3][j+3], s3)
			to[j], to[j+1], to[j+2], to[j+3] = -s0/p, -s1/p, -s2/p, -s3/p
		}
		for ; j < n; j++ {
			var s float64
			for l := i + 1; l <= j; l++ {
				s = math.FMA(row[l], v[l][j], s)
			}
			to[j] = -s / p
		}
	}
}
