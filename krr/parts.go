package krr

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
)

// A part is a Gram that was saved: it is known by a digest of its sums, so that
// a merged Gram knows which parts it holds, and refuses one that it has.

// partBytes is the length of a part's digest.
const partBytes = 16

// PartError says that two Grams hold the same part of the data.
type PartError struct{ Part string }

func (e *PartError) Error() string {
	return fmt.Sprintf("krr: both hold the part %.16s: its rows would count twice", e.Part)
}

// Parts returns the digests of the saved Grams whose rows g holds, and one for
// the rows added since.
func (g *Gram) Parts() []string {
	if !g.added {
		return slices.Clone(g.parts)
	}
	return append(slices.Clone(g.parts), g.digest())
}

// digest returns a digest of the sums.
func (g *Gram) digest() string {
	h := sha256.New()
	t := newTensors("gram")
	g.addSums(t, "")
	fmt.Fprintf(h, "%v %q", g.m.Fingerprint(), g.classes)
	t.WriteData(h) // a hash does not fail
	return hex.EncodeToString(h.Sum(nil)[:partBytes])
}

// mergeParts adds the parts of h, or takes them away, and refuses those that
// both have.
func (g *Gram) mergeParts(h *Gram, sign float64) error {
	if sign < 0 {
		g.parts = slices.DeleteFunc(slices.Clone(g.parts), func(p string) bool { return slices.Contains(h.parts, p) })
		return nil
	}
	for _, p := range h.parts {
		if slices.Contains(g.parts, p) {
			return &PartError{p}
		}
	}
	g.parts = slices.Concat(g.parts, h.parts)
	g.added = g.added || h.added
	return nil
}

// setParts stores the parts.
func (t *tensors) setParts(parts []string) {
	if parts != nil {
		t.SetJSON("parts", parts)
	}
}

// readParts restores the parts of g, whose sums are read. A file without them is
// one part.
func (g *Gram) readParts(p *parsed) error {
	if err := p.JSON("parts", &g.parts); err != nil {
		return err
	}
	for _, d := range g.parts {
		if b, err := hex.DecodeString(d); err != nil || len(b) != partBytes {
			return p.Bad("it names a part %.40q", d)
		}
	}
	if g.parts == nil && g.Rows() > 0 {
		g.parts = []string{g.digest()}
	}
	return nil
}
