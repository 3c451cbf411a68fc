package basis

// split is how package rff says what a map is, which is for the packages beside it and no
// part of its interface.
var split func(m any) (base any, c *Change)

// Register is called by package rff, once.
func Register(f func(m any) (base any, c *Change)) { split = f }

// Split returns the base of m, a *rff.Map, and the change to its features: m itself and
// nil if it has none.
func Split[M any](m M) (base M, c *Change) {
	b, c := split(m)
	return b.(M), c
}
