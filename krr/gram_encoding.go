package krr

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/mapfile"
	"github.com/rffgo/rff/internal/ridge"
	"github.com/rffgo/rff/internal/stream"
)

// Save writes the Gram to a file, atomically: its map and scaling, its sums, and the
// rows that do not fill a row block yet, so that adding the rest of a stream to the
// Gram read back gives the bits of an uninterrupted pass. The file is safetensors: the
// tensors of a map and of a scaling as in Model.Save, and
//
//	gram (upper triangle of ZᵀZ, packed by rows), zy (s×t), z (s), y, yy (t),
//	count = (rows, Σw), low, high (t); pending.x, pending.y, pending.weight;
//	reference (t), subtracted from the targets in zy, y, yy and pending.y
//
// In sums of integers zy, y and yy have blas.Parts columns in place of each target, whose sum is
// that of the target, and no rows are pending. unit (1) is what features are multiples of.
func (g *Gram) Save(path string) error {
	return writeFile(path, "gram", g.tensors())
}

// WriteTo writes what Save writes to w.
func (g *Gram) WriteTo(w io.Writer) (int64, error) { return g.tensors().WriteTo(w) }

// LoadGram reads a Gram that Save wrote. The error is a *FileError for a file
// that is damaged, truncated or something else.
func LoadGram(path string) (*Gram, error) {
	g := new(Gram)
	err := readFile(path, "gram", g.read)
	if err != nil {
		return nil, err
	}
	return g, nil
}

// ReadGram reads a Gram that WriteTo or Save wrote, up to the end of r, which
// must hold nothing else. Its memory grows with the bytes that r gives, not with the sizes that
// these claim. The error is a *FileError, or that of r.
func ReadGram(r io.Reader) (*Gram, error) {
	g := new(Gram)
	if err := g.read(r, -1); err != nil {
		return nil, err
	}
	return g, nil
}

func (g *Gram) tensors() *tensors {
	t := newTensors("gram")
	t.Meta["precision"] = g.precision.Name
	mapfile.Add(&t.Writer, g.m)
	t.addScaling(g.scaling)
	t.setSchema(g.schema)
	if classes := g.schema.Target.Classes; classes != nil {
		t.setTexts("classes", classes)
	}
	if g.parts, g.known = g.allParts(), true; g.parts != nil {
		t.SetJSON("parts", g.parts)
	}
	if g.schema.Weighted {
		t.Meta["weighted"] = "true"
	}
	g.addSums(t, "")
	return t
}

// addSums stores what changes with the rows.
func (g *Gram) addSums(t *tensors, prefix string) {
	if g.precision.Levels > 0 { // exact sums do not depend on where row blocks end
		g.core.Flush()
	}
	s := g.core.Sums()
	if s.Unit > 0 {
		t.Add(prefix+"unit", []float64{s.Unit})
	}
	t.AddUpper(prefix+"gram", s.G)
	t.AddMatrix(prefix+"zy", s.ZY)
	t.Add(prefix+"z", s.Z)
	t.Add(prefix+"y", s.Y)
	t.Add(prefix+"yy", s.YY)
	t.Add(prefix+"count", []float64{float64(s.Rows), s.W}) // exact up to 2⁵³ rows
	t.Add(prefix+"low", g.shift.lo)
	t.Add(prefix+"high", g.shift.hi)
	if g.shift.at != nil {
		t.Add(prefix+"reference", g.shift.at)
	}
	x, y, w := g.core.Pending()
	t.AddMatrix(prefix+"pending.x", x)
	t.AddMatrix(prefix+"pending.y", y)
	t.Add(prefix+"pending.weight", w)
}

func (g *Gram) read(r io.Reader, size int64) error {
	p, err := readTensors("gram", r, size)
	if err != nil {
		return err
	}
	m, err := mapfile.Map(p.File)
	if err != nil {
		return err
	}
	in, _ := m.Dims()
	precision, err := p.readPrecision()
	if err != nil {
		return err
	}
	if precision != precision.For(m) {
		return p.Bad("features of its map are not summed in %s: sum the rows again", precision.Name)
	}
	scaling, y := p.readScaling(in), p.Vector("y", -1)
	// The sums have s×s numbers: check that the file has them before making room for them.
	_, s := m.Dims()
	targets := len(y) / precision.Columns
	if p.Vector("gram", s*(s+1)/2); p.Err() != nil || targets < 1 || len(y)%precision.Columns > 0 {
		return p.Bad("its sums do not fit its map")
	}
	schema, err := p.readSchema(in)
	if err != nil {
		return err
	}
	schema.Weighted = p.Meta["weighted"] == "true"
	if err := inside.CheckSchema(schema, in); err != nil {
		return p.Bad("%v", err)
	}
	n := NewGram(m, targets, GramSettings{Precision: nameOf(precision), Scaling: scaling, Schema: regression(schema)})
	if err := n.readSums(p, ""); err != nil {
		return err
	}
	if classes := schema.Target.Classes; classes != nil {
		if err := n.setClasses(classes); err != nil {
			return p.Bad("%v", err)
		}
		n.schema.Target.Weights = schema.Target.Weights
	}
	if err := n.readParts(p); err != nil {
		return err
	}
	*g = *n
	return nil
}

// readSums is the reverse of addSums, on an empty Gram.
func (g *Gram) readSums(p *parsed, prefix string) error {
	in, features := g.m.Dims()
	s := g.core.Sums()
	if unit := p.Optional(prefix+"unit", 1); s.Unit > 0 && p.Err() == nil && (unit == nil || unit[0] != s.Unit) {
		return p.Bad("it has other units of features than this version of rff: sum the rows again")
	}
	p.Upper(prefix+"gram", s.G)
	zy := p.Matrix(prefix+"zy", features, s.ZY.Cols)
	for i := range zy.Rows {
		copy(s.ZY.Row(i), zy.Row(i))
	}
	for _, v := range []struct {
		name string
		to   []float64
	}{{"z", s.Z}, {"y", s.Y}, {"yy", s.YY}, {"low", g.shift.lo}, {"high", g.shift.hi}} {
		copy(v.to, p.Vector(prefix+v.name, len(v.to)))
	}
	count := p.Vector(prefix+"count", 2)
	at := p.Optional(prefix+"reference", g.targets)
	for _, name := range []string{"gram", "zy", "z", "y", "yy", "count", "reference"} {
		p.Finite(prefix + name)
	}
	if p.Err() != nil {
		return p.Err()
	}
	exact := g.precision.Levels > 0 // such sums have no weights, and all have one reference
	if !(count[0] >= 0 && count[0] < 1<<53) || count[0] != float64(int64(count[0])) || !(count[1] >= 0 && count[1] <= 2*count[0]*g.precision.Weight) || exact && count[0] != count[1] {
		return p.Bad("it counts %g rows of weight %g", count[0], count[1])
	}
	if exact && !slices.Equal(at, g.shift.at) {
		return p.Bad("the reference of sums in %s is %g, not %g", g.precision.Name, g.shift.at, at)
	}
	s.Rows, s.W, g.shift.at = int64(count[0]), count[1], at
	w := p.Vector(prefix+"pending.weight", -1)
	if len(w) >= stream.Chunk(in+g.targets, features) {
		return p.Bad("%d pending rows are more than fit", len(w))
	}
	x, y := p.Matrix(prefix+"pending.x", len(w), in), p.Matrix(prefix+"pending.y", len(w), g.targets)
	if p.Err() != nil {
		return p.Err()
	}
	err := checkBatch(rff.Batch{X: x, Y: y, Weight: w}, in, g.targets)
	if err == nil {
		err = g.shift.check(g.precision, make([]float64, g.targets), y, w, 0)
	}
	if err != nil {
		return p.Bad("pending rows: %v", fmt.Sprint(err))
	}
	g.core.Restore(x, y, w)
	if g.shift.at == nil && g.Rows() > 0 {
		return p.Bad("it has rows, and no reference of their targets")
	}
	return g.possible(p, prefix)
}

// possible refuses sums that no rows have, whatever their digest says: a solution would be false.
func (g *Gram) possible(p *parsed, prefix string) error {
	far := make([]float64, g.targets)
	for t, r := range g.shift.at {
		lo, hi := g.shift.lo[t], g.shift.hi[t]
		if far[t] = max(hi-r, r-lo); g.Rows() == 0 {
			far[t] = 0
		} else if !(lo <= hi && far[t] <= g.precision.Target) {
			return p.Bad("the range of target %d is %g to %g", t+1, lo, hi)
		}
	}
	spec := inside.Spec(g.base)
	most := spec.Weight
	if slices.Contains([]asm.Func{asm.Linear, asm.ArcCos1, asm.ArcCos2}, spec.Func) || spec.Projected() {
		most = nil
	}
	if name := ridge.Impossible(g.core.Sums().Joined(g.shift.at), most, far); name != "" {
		return p.Bad("tensor %q: no rows have such sums", prefix+name)
	}
	return nil
}

// A part is a Gram that was saved, known by a digest of its sums. A merged Gram keeps
// the digests of its parts, and refuses a part that it has already. A Gram that is saved keeps its
// digest too: what it has once its row block has ended, or it has other classes, would be another
// for the same rows, and after further rows none would tell that the part is in it.

// partBytes is the length of a part's digest.
const partBytes = 16

// allParts returns the digests of the saved Grams whose rows g holds, and one for
// the rows added since.
func (g *Gram) allParts() []string {
	if g.isKnown() {
		return slices.Clone(g.parts)
	}
	return append(slices.Clone(g.parts), g.digest())
}

// digest returns a digest of the sums, the map and the classes.
func (g *Gram) digest() string {
	h := sha256.New()
	t := newTensors("gram")
	g.addSums(t, "")
	fmt.Fprintf(h, "%v %q", g.m.Fingerprint(), g.schema.Target.Classes)
	t.WriteData(h) // a hash does not fail
	return hex.EncodeToString(h.Sum(nil)[:partBytes])
}

// readParts restores the parts of g, whose sums are read. A file without them is
// one part.
func (g *Gram) readParts(p *parsed) error {
	p.JSON("parts", &g.parts)
	for _, d := range g.parts {
		if b, err := hex.DecodeString(d); err != nil || len(b) != partBytes {
			return p.Bad("it names a part %.40q", d)
		}
	}
	if g.parts == nil && g.Rows() > 0 {
		g.parts = []string{g.digest()}
	}
	return p.Err()
}
