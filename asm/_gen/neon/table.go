package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"math"
)

// table is the layout of the constants of one element type, offsets in bytes,
// and of the coefficients that come with a call: 32 bytes each.
type table struct {
	cosP, coefC, coefS []float64

	lead, cos, pairC, pairS                       int
	quarter, reduce, one, half, sign, intOne, end int // 16 bytes each
}

// coefficients reads the polynomials of the reference kernel, so that they are written once.
func coefficients(file string) (map[string][]float64, error) {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		return nil, err
	}
	coef := map[string][]float64{}
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		lit, ok := spec.Values[0].(*ast.CompositeLit)
		if !ok {
			return true
		}
		name := spec.Names[0].Name
		for _, e := range lit.Elts {
			sign := 1.0
			if u, ok := e.(*ast.UnaryExpr); ok && u.Op == token.SUB {
				sign, e = -1, u.X
			}
			b, ok := e.(*ast.BasicLit)
			if !ok {
				err = fmt.Errorf("%s: %s is not a list of numbers", file, name)
				return false
			}
			v, _ := constant.Float64Val(constant.MakeFromLiteral(b.Value, b.Kind, 0))
			coef[name] = append(coef[name], sign*v)
		}
		return true
	})
	return coef, err
}

func newTable(coef map[string][]float64, elem int) *table {
	s := fmt.Sprint(8 * elem)
	t := &table{cosP: coef["cosP"+s], coefC: coef["pairC"+s], coefS: coef["pairS"+s]}
	if len(t.cosP) == 0 || len(t.coefC) == 0 || len(t.coefS) == 0 {
		panic("coefficients missing from cos.go")
	}
	t.cos, t.pairC = 32, 32
	t.pairS = t.pairC + 32*len(t.coefC)
	t.reduce, t.one, t.half = t.quarter+16, t.quarter+32, t.quarter+48
	t.sign, t.intOne, t.end = t.quarter+64, t.quarter+80, t.quarter+96
	return t
}

func (c *code) tab() *table { return tables[c.elem] }

// data writes the table as read-only data.
func (c *code) data() {
	t, name := c.tab(), "·neonTab"+c.suffix()
	at := 0
	raw := func(bits uint64) {
		fmt.Fprintf(c, "DATA %s+%d(SB)/%d, $%#0*x\n", name, at, c.elem, 2+2*c.elem, bits)
		at += c.elem
	}
	put := func(v float64) {
		if c.elem == 8 {
			raw(math.Float64bits(v))
		} else {
			raw(uint64(math.Float32bits(float32(v))))
		}
	}
	fill := func(bytes int, f func()) {
		for end := at + bytes; at < end; {
			f()
		}
	}
	fmt.Fprintf(c, "\n// ¼, {−¼, 4}, 1, ½, the sign bit and the integer 1.\n")
	fill(16, func() { put(0.25) })
	fill(16, func() { put(-0.25); put(4) })
	fill(16, func() { put(1) })
	fill(16, func() { put(0.5) })
	fill(16, func() { raw(1 << (8*c.elem - 1)) })
	fill(16, func() { raw(1) })
	if at != t.end {
		panic("table and layout differ")
	}
	fmt.Fprintf(c, "GLOBL %s(SB), RODATA|NOPTR, $%d\n", name, at)
}
