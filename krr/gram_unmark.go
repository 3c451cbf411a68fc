package krr

// ForgetParts makes g forget which saved parts its rows came in, so that Merge
// takes Grams of equal sums, as shards with equal rows have. For engines such as
// Beam, which see to it themselves that no part is counted twice.
func (g *Gram) ForgetParts() {
	g.parts, g.origins, g.own = nil, nil, nil
	if g.Rows() > 0 {
		g.own = new(byte)
		g.origins = []*byte{g.own}
	}
}
