package krr

import (
	"fmt"
	"io"
	"math"
	"slices"

	coding "github.com/rffgo/rff/internal/classes"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/mapfile"
	"github.com/rffgo/rff/internal/safetensors"
	"github.com/rffgo/rff/krr/internal/calibration"
)

// Save writes the model to a file, atomically: on any error an existing file is
// untouched (package internal/atomicfile says how, and which mode the file has).
// The error is a *FileError. The file is safetensors with float64 tensors
//
//	map.frequencies (F×d), or map.blocks.i.{d.j, permutation, scale}, map.blocks.i.trees.{width, input, threshold, value}; map.phase,
//	map.weight, map.product; scaling.shift, scaling.scale, scaling.{points, from, to}; columns.fill, columns.low,
//	columns.high (d); coefficients (s×t), intercept (t); range.low, range.high (t); calibration.slope (1
//	or classes), calibration.bias (classes), calibration.floor (1); variance.factors.i (s×s), variance.of (t),
//	variance.mean (s), variance.noise (t), variance.weight (1);
//	interval.rows.i (m×s), interval.residual (m×t), interval.class, interval.weight or interval.apart, interval.group (m)
//
// and, in its metadata, what they mean. docs/model-format.md describes it, and
// docs/read_model.py reads it in NumPy.
func (m *Model) Save(path string) error {
	return writeFile(path, "model", m.tensors())
}

// WriteTo writes what Save writes to w.
func (m *Model) WriteTo(w io.Writer) (int64, error) { return m.tensors().WriteTo(w) }

func (m *Model) tensors() *tensors {
	t := newTensors("model")
	t.setTexts("classes", m.schema.Target.Classes)
	t.SetJSON("lambda", m.lambda)
	t.SetJSON("solved", m.solved.stored())
	t.SetJSON("provenance", m.prov)
	t.addMap(m)
	t.setSchema(m.schema)
	if m.link != "" {
		t.Meta["link"] = m.link
	}
	if m.levels != nil {
		t.SetJSON("quantiles", m.levels)
	}
	t.AddMatrix("coefficients", m.coef)
	t.Add("intercept", m.intercept)
	t.Add("range.low", m.lo)
	t.Add("range.high", m.hi)
	if c := m.cal; c != nil {
		t.Add("calibration.slope", c.Slope)
		t.Add("calibration.bias", c.Bias)
		t.Add("calibration.floor", []float64{c.Floor})
	}
	if p := m.post; p != nil {
		for i, f := range p.factors {
			t.AddMatrix(fmt.Sprintf("variance.factors.%d", i), f)
		}
		t.AddInts("variance.of", p.of)
		t.Add("variance.mean", p.mean)
		t.Add("variance.noise", p.noise)
		t.Add("variance.weight", []float64{p.weight})
	}
	if c := m.sample; c != nil {
		for i, v := range c.turned {
			t.AddMatrix(fmt.Sprintf("interval.rows.%d", i), v)
		}
		t.AddMatrix("interval.residual", c.residual)
		t.AddInts("interval.class", c.class)
		t.Add(intervalWeight(c.turned != nil), c.weight)
		if c.by.Name != "" {
			t.Meta["interval.by"] = c.by.Name
			t.Add("interval.group", c.group)
		}
	}
	for i, b := range m.beside {
		part := &tensors{safetensors.Writer{Meta: map[string]string{}}}
		part.addMap(b)
		part.AddMatrix("coefficients", b.coef)
		t.AddPart(besideName(i), &part.Writer)
	}
	return t
}

// addMap adds how a model turns raw rows into features.
func (t *tensors) addMap(m *Model) {
	t.Meta["precision"] = m.precision.Name
	mapfile.Add(&t.Writer, m.m)
	t.addScaling(m.scaling)
}

// mostBeside bounds the models beside the first of a file, each of which takes a look at all of its
// names. Auto makes three at most.
const mostBeside = 15

// besideName stands before the names of a model beside the first.
func besideName(i int) string { return fmt.Sprintf("beside.%d.", i) }

// Load reads a model that Save wrote. The error is a *FileError for a file that
// is damaged, truncated or something else.
func Load(path string) (m *Model, err error) {
	err = readFile(path, "model", func(r io.Reader, size int64) error {
		m, err = readModel(r, size)
		return err
	})
	return m, err
}

// ReadModel reads a model that WriteTo or Save wrote, up to the end of r, which
// must hold nothing else. Its memory grows with the bytes that r gives, not with the sizes that
// these claim. The error is a *FileError, or that of r.
func ReadModel(r io.Reader) (*Model, error) { return readModel(r, -1) }

func readModel(r io.Reader, size int64) (*Model, error) {
	p, err := readTensors("model", r, size)
	if err != nil {
		return nil, err
	}
	return p.readModel()
}

func (p *parsed) readModel() (*Model, error) {
	m, err := p.readMap(p.Optional("intercept", -1))
	if err != nil {
		return nil, err
	}
	in, _ := m.Dims()
	_, s := m.m.Dims()
	coef := m.coef
	m.link = p.Meta["link"]
	mean := p.Has(besideName(0) + "coefficients")
	if m.link != "" && (mean || m.link != logLink && m.link != sorted) {
		return nil, p.Bad("its link is %q, which this program does not know, or which a mean of models has not", m.link)
	}
	var beside []*Model
	for p.Has(besideName(len(beside)) + "coefficients") {
		if len(beside) == mostBeside {
			return nil, p.Bad("it has more than %d models beside the first", mostBeside)
		}
		part := &parsed{p.Part(besideName(len(beside)))}
		b, err := part.readMap(make([]float64, coef.Cols))
		if err != nil {
			return nil, err
		}
		if of, _ := b.Dims(); of != in {
			return nil, p.Bad("a model beside the first has %d inputs, not %d", of, in)
		}
		beside = append(beside, b)
	}
	if beside != nil {
		m = m.with(beside)
	}
	m.levels = p.readLevels(m.link, coef.Cols)
	if m.schema, err = p.readSchema(in); err != nil {
		return nil, err
	}
	m.lo, m.hi = p.Optional("range.low", coef.Cols), p.Optional("range.high", coef.Cols)
	p.checkRange("range", m.lo, m.hi, false)
	if p.JSON("lambda", &m.lambda); len(m.lambda) != coef.Cols {
		return nil, p.Bad("metadata \"lambda\": %d values for %d targets", len(m.lambda), coef.Cols)
	}
	var solved storedSolved
	p.JSON("solved", &solved)
	m.solved = solved.solved()
	p.JSON("provenance", &m.prov)
	if err := inside.CheckSchema(m.schema, in); err != nil {
		return nil, p.Bad("%v", err)
	}
	m.schema.Target.Columns = coef.Cols
	if m.schema.Target.Classes != nil && (len(m.schema.Target.Classes) < 2 || coding.Columns(len(m.schema.Target.Classes)) != coef.Cols) {
		return nil, p.Bad("%d classes do not fit %d outputs", len(m.schema.Target.Classes), coef.Cols)
	}
	if p.Has("calibration.slope") {
		m.cal = p.readCalibration(len(m.schema.Target.Classes))
	}
	if p.Has("variance.of") {
		m.post = p.readPosterior(s, coef.Cols)
	}
	for _, fitted := range []bool{true, false} {
		if p.Has(intervalWeight(fitted)) && p.Err() == nil {
			m.sample = p.readConformal(m, fitted)
		}
	}
	if p.Err() != nil {
		return nil, p.Err()
	}
	return m, nil
}

// readLevels reads the levels of the quantiles of a model with that link and number of outputs.
func (p *parsed) readLevels(link string, outputs int) (levels []float64) {
	p.JSON("quantiles", &levels)
	if (len(levels) > 0) != (link == sorted) || len(levels) > 0 && outputs%len(levels) != 0 {
		p.Bad("%d quantiles do not fit %d outputs with the link %q", len(levels), outputs, link)
	}
	for k, v := range levels {
		if !(v > 0 && v < 1) || k > 0 && v <= levels[k-1] {
			p.Bad("its quantiles have the levels %v, which do not ascend between 0 and 1", levels)
		}
	}
	return levels
}

// readMap reads how a model turns raw rows into features, and its coefficients.
func (p *parsed) readMap(intercept []float64) (*Model, error) {
	fm, err := mapfile.Map(p.File)
	if err != nil {
		return nil, err
	}
	in, s := fm.Dims()
	precision, err := p.readPrecision()
	if err != nil {
		return nil, err
	}
	scaling, coef := p.readScaling(in), p.Matrix("coefficients", s, len(intercept))
	if len(intercept) < 1 || !dense.Finite(coef) || !dense.Finite(dense.Vector(intercept)) {
		return nil, p.Bad("it has no outputs, or coefficients that are not finite")
	}
	if p.Err() != nil {
		return nil, p.Err()
	}
	return newModel(fm, precision, scaling, coef, intercept), nil
}

// intervalWeight returns the name of the weights of the rows for intervals. It depends on
// whether these were fitted or kept apart.
func intervalWeight(fitted bool) string {
	if fitted {
		return "interval.weight"
	}
	return "interval.apart"
}

// readConformal reads the sample of rows, fitted or kept apart, after the rest of the model has
// been read.
func (p *parsed) readConformal(m *Model, fitted bool) *conformal {
	if fitted != (m.post != nil) {
		p.Bad("its rows for intervals do not go with its factors")
		return nil
	}
	c := conformal{weight: p.Vector(intervalWeight(fitted), -1)}
	rows, classes := len(c.weight), len(m.schema.Target.Classes)
	if classes > 0 {
		c.class = p.Ints("interval.class", rows)
		for _, k := range c.class {
			if k < 0 || k >= classes {
				p.Bad("a row for intervals is of class %d of %d", k, classes)
			}
		}
	}
	c.residual = p.Matrix("interval.residual", rows, len(m.intercept))
	finite := dense.Finite(c.residual)
	var err error
	if c.by, err = inside.NewGrouping(p.Meta["interval.by"], m.schema); err != nil {
		p.Bad("%v", err)
	}
	if c.by.Name != "" {
		c.group = p.Vector("interval.group", rows)
		finite = finite && dense.Finite(dense.Vector(c.group))
	}
	for i := range m.factors() {
		t := p.Matrix(fmt.Sprintf("interval.rows.%d", i), rows, len(m.post.mean))
		c.turned, finite = append(c.turned, t), finite && dense.Finite(t)
	}
	for _, w := range c.weight {
		finite = finite && w > 0 && !math.IsInf(w, 1)
	}
	if !finite || rows == 0 {
		p.Bad("its rows for intervals are none or not finite, or one has no positive weight")
	}
	if p.Err() != nil {
		return nil
	}
	done, err := newConformal(m.post, c)
	if err != nil {
		p.Bad("%v", err)
	}
	return done
}

// readCalibration reads the calibration of that many classes.
func (p *parsed) readCalibration(classes int) *calibration.Calibration {
	if classes == 0 {
		p.Bad("a regression has no probabilities")
	}
	c := &calibration.Calibration{Slope: p.Vector("calibration.slope", -1), Bias: p.Vector("calibration.bias", classes), Floor: p.Number("calibration.floor")}
	if n := len(c.Slope); n != 1 && (n != classes || classes == 2) {
		p.Bad("it has %d slopes for the probabilities of %d classes", n, classes)
	}
	for _, v := range slices.Concat(c.Slope, c.Bias) {
		if v-v != 0 {
			p.Bad("its calibration is not finite")
		}
	}
	if !(c.Floor >= 0 && c.Floor <= 1/float64(classes)) {
		p.Bad("its least probability is %g", c.Floor)
	}
	return c
}

func (p *parsed) readPosterior(s, targets int) *posterior {
	post := &posterior{of: p.Ints("variance.of", targets), mean: p.Vector("variance.mean", s), noise: p.Vector("variance.noise", targets), weight: p.Number("variance.weight")}
	if !(post.weight > 0 && post.weight <= math.MaxFloat64) {
		p.Bad("its weight is %g", post.weight)
	}
	finite := dense.Finite(dense.Vector(post.mean))
	for _, v := range post.noise {
		finite = finite && v >= 0 && v <= math.MaxFloat64
	}
	for p.Has(fmt.Sprintf("variance.factors.%d", len(post.factors))) {
		f := p.Matrix(fmt.Sprintf("variance.factors.%d", len(post.factors)), s, s)
		post.factors, finite = append(post.factors, f), finite && dense.Finite(f)
	}
	if !finite {
		p.Bad("its variances are not finite, or negative")
	}
	for _, of := range post.of {
		if of < 0 || of >= len(post.factors) {
			p.Bad("it has %d variance factors and uses number %d", len(post.factors), of)
		}
	}
	return post
}
