package krr_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/require"
	"github.com/rffgo/rff/krr"
)

// A model and a Gram go through a Writer and a Reader, however that cuts them up.
func TestWriteToReadFrom(t *testing.T) {
	model, r := fitted(t, krr.Float32, "a", "b", "c")
	want, err := model.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if n, err := model.WriteTo(&b); err != nil || n != int64(len(want)) || !bytes.Equal(b.Bytes(), want) {
		t.Errorf("%d of %d bytes, %v", n, len(want), err)
	}
	for name, r := range map[string]io.Reader{"whole": bytes.NewReader(want), "bytes": iotest.OneByteReader(bytes.NewReader(want)), "end with data": iotest.DataErrReader(bytes.NewReader(want))} {
		back, err := krr.ReadModel(r)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, _ := back.MarshalBinary(); !bytes.Equal(got, want) {
			t.Errorf("%s: another model", name)
		}
	}
	g := gram(t, gaussianMap(t, 1, 3, 8, 1), r, krr.Float32)
	if want, err = g.MarshalBinary(); err != nil {
		t.Fatal(err)
	}
	b.Reset()
	if n, err := g.WriteTo(&b); err != nil || n != int64(len(want)) || !bytes.Equal(b.Bytes(), want) {
		t.Errorf("%d of %d bytes, %v", n, len(want), err)
	}
	h, err := krr.ReadGram(iotest.HalfReader(&b))
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := h.MarshalBinary(); !bytes.Equal(got, want) {
		t.Error("another Gram")
	}
	// Errors of the reader and of the writer come through.
	broken := errors.New("broken")
	for _, after := range []int{0, 5, 8, 100, 1000, len(want) - 1, len(want)} {
		_, err := krr.ReadGram(io.MultiReader(bytes.NewReader(want[:after]), iotest.ErrReader(broken)))
		if !errors.Is(err, broken) {
			t.Errorf("reading fails after %d bytes: %v", after, err)
		}
		if n, err := g.WriteTo(&short{left: after, err: broken}); after < len(want) && (!errors.Is(err, broken) || n != int64(after)) {
			t.Errorf("writing fails after %d bytes: %d, %v", after, n, err)
		}
	}
}

// short is a writer that fails after some bytes.
type short struct {
	left int
	err  error
}

func (s *short) Write(p []byte) (int, error) {
	if len(p) > s.left {
		n := s.left
		s.left = 0
		return n, s.err
	}
	s.left -= len(p)
	return len(p), nil
}

// What is cut short, and what goes on after the tensors, is refused, from a file
// and from a stream.
func TestEnds(t *testing.T) {
	model, _ := fitted(t, krr.Float64)
	good, _ := model.MarshalBinary()
	path := filepath.Join(t.TempDir(), "model")
	try := func(name string, b []byte, why string) {
		t.Helper()
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		_, fromFile := krr.Load(path)
		_, fromStream := krr.ReadModel(bytes.NewReader(b))
		for _, err := range []error{fromFile, fromStream, new(krr.Model).UnmarshalBinary(b)} {
			var fe *krr.FileError
			if !errors.As(err, &fe) || !strings.Contains(err.Error(), why) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	for _, n := range []int{0, 7, 8, 100, len(good) - 9, len(good) - 8, len(good) - 1} {
		try(fmt.Sprint(n, " bytes"), good[:n], "truncated")
	}
	for _, more := range []string{"\n", "\x00", "12345678", string(good)} {
		b := append(bytes.Clone(good), more...)
		var fe *krr.FileError
		for i, err := range []error{new(krr.Model).UnmarshalBinary(b), new(krr.Model).UnmarshalBinary(krr.Seal(b))} {
			if !errors.As(err, &fe) {
				t.Errorf("%d bytes more, %d: %v", len(more), i, err)
			}
		}
		if _, err := krr.ReadModel(bytes.NewReader(krr.Seal(b))); !errors.As(err, &fe) || !strings.Contains(err.Error(), "more after its tensors") {
			t.Errorf("%d bytes more in a stream: %v", len(more), err)
		}
	}
	// The header is one JSON object and nothing else, each tensor once.
	n := binary.LittleEndian.Uint64(good)
	header, data := string(good[8:8+n]), good[8+n:]
	withHeader := func(h string) []byte {
		b := binary.LittleEndian.AppendUint64(nil, uint64(len(h)))
		return krr.Seal(append(append(b, h...), data...))
	}
	var m krr.Model
	if err := m.UnmarshalBinary(withHeader(header)); err != nil {
		t.Fatal(err)
	}
	intercept := header[strings.Index(header, `"intercept"`):]
	intercept = intercept[:strings.Index(intercept, `},`)+2]
	for name, h := range map[string]string{
		"two objects":      strings.TrimRight(header, " ") + "{}",
		"an array":         "[" + strings.TrimRight(header, " ") + "]",
		"a tensor twice":   strings.Replace(header, intercept, intercept+intercept, 1),
		"metadata twice":   strings.Replace(header, `{"__metadata__"`, `{"__metadata__":{},"__metadata__"`, 1),
		"no object at all": strings.Repeat(" ", len(header)),
		"cut":              header[:len(header)/2],
		"nothing":          "",
		"a gap":            strings.Replace(header, `"data_offsets":[0,`, `"data_offsets":[8,`, 1),
		"another type":     strings.Replace(header, `"F64"`, `"F32"`, 1),
		"no metadata":      `{"x":{"dtype":"F64","shape":[0],"data_offsets":[0,0]}}`,
	} {
		var fe *krr.FileError
		if err := m.UnmarshalBinary(withHeader(h)); !errors.As(err, &fe) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// hostile are small files, or endless ones, that would take gigabytes if their
// sizes were believed, or if room were made for rows that are not there.
var hostile = map[string]func(t *testing.T) error{
	"a Gram of many targets": func(t *testing.T) error { // 7 MB; 504 rows of it are 0.6 GB
		m := gaussianMap(t, 1, 1, 2, 1)
		const targets = 150_000
		g := krr.NewGram(m, targets, krr.GramSettings{})
		one := blas.NewGeneral[float64](3, targets)
		if err := g.Add(context.Background(), rff.Batch{X: blas.NewGeneral[float64](3, 1), Y: one}); err != nil {
			return err
		}
		path := filepath.Join(t.TempDir(), "gram")
		if err := g.Save(path); err != nil {
			return err
		}
		h, err := krr.LoadGram(path)
		if err != nil {
			return err
		}
		g.ForgetParts() // what matters is the memory
		return g.Merge(h)
	},
	"a map of many inputs": func(t *testing.T) error { // 4 MB
		m := gaussianMap(t, 1, 500_000, 2, 1)
		path := filepath.Join(t.TempDir(), "gram")
		if err := krr.NewGram(m, 1, krr.GramSettings{}).Save(path); err != nil {
			return err
		}
		_, err := krr.LoadGram(path)
		return err
	},
	"zeros":      func(*testing.T) error { return refusedFile(krr.Load("/dev/zero")) },
	"noise":      func(*testing.T) error { return refusedFile(krr.Load("/dev/urandom")) },
	"Gram zeros": func(*testing.T) error { return refusedFile(krr.LoadGram("/dev/zero")) },
	"a long header": func(*testing.T) error {
		return refusedFile(krr.ReadModel(io.MultiReader(bytes.NewReader([]byte{0, 0, 0, 0, 1, 0, 0, 0}), zeros{})))
	},
	"a long tensor": func(t *testing.T) error { // 2⁴⁰ numbers, of which a few come
		h := `{"__metadata__":{"format":"rff model","version":"1","sha256":"` + strings.Repeat("0", 64) + `"},"x":{"dtype":"F64","shape":[1099511627776],"data_offsets":[0,8796093022208]}}`
		b := append(binary.LittleEndian.AppendUint64(nil, uint64(len(h))), h...)
		return refusedFile(krr.ReadModel(io.MultiReader(bytes.NewReader(b), io.LimitReader(zeros{}, 1<<20))))
	},
	"many tensors": func(t *testing.T) error {
		var h strings.Builder
		h.WriteString(`{"__metadata__":{"format":"rff model","version":"1","sha256":"` + strings.Repeat("0", 64) + `"}`)
		for i := range 30_000 {
			fmt.Fprintf(&h, `,"%d":{"dtype":"F64","shape":[0],"data_offsets":[0,0]}`, i)
		}
		h.WriteString("}")
		b := append(binary.LittleEndian.AppendUint64(nil, uint64(h.Len())), h.String()...)
		return refusedFile(krr.ReadModel(bytes.NewReader(krr.Seal(b))))
	},
	"many blocks": func(t *testing.T) error {
		var m krr.Model
		b, err := structuredModel(t).MarshalBinary()
		if err != nil {
			return err
		}
		many := strings.Repeat(`{\"Size\":4,\"Keep\":4,\"Diagonals\":3},`, 60_000)
		b = krr.Seal(resized(replaceNth(b, `"map.blocks":"[`, `"map.blocks":"[`+many, 0)))
		return refusedFile(m, m.UnmarshalBinary(b))
	},
}

// zeros is an endless reader.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// refusedFile returns nil if err is a *FileError.
func refusedFile(_ any, err error) error {
	var fe *krr.FileError
	if errors.As(err, &fe) {
		return nil
	}
	return fmt.Errorf("not refused: %w", err)
}

func structuredModel(t *testing.T) *krr.Model {
	t.Helper()
	m, _, err := krr.Fit(context.Background(), structured(t), synthetic(1, 50, 3, 1, 0.1), krr.Settings{Lambdas: []float64{1e-3}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Hostile files are refused, or read, within 100 MB for the process.
func TestHostileFiles(t *testing.T) {
	if name := os.Getenv("KRR_TEST_CHILD"); name != "" {
		if err := hostile[name](t); err != nil {
			t.Fatal(err)
		}
		printPeak(t)
		return
	}
	if runtime.GOOS != "linux" || require.Race {
		for name, f := range hostile {
			if err := f(t); err != nil && runtime.GOOS == "linux" {
				t.Errorf("%s: %v", name, err)
			}
		}
		return
	}
	// More processors, or a GOGC of its own, let more garbage pile up beside what is needed.
	t.Setenv("GOMAXPROCS", "2")
	t.Setenv("GOGC", "100")
	for name := range hostile {
		if peak := inChild(t, name); peak > 100e6 {
			t.Errorf("%s: %.0f MB resident", name, float64(peak)/1e6)
		} else {
			t.Logf("%s: %.0f MB resident", name, float64(peak)/1e6)
		}
	}
}

// Names and labels may hold anything, also what a terminal takes for commands;
// errors quote what comes from a file.
func TestControlCharacters(t *testing.T) {
	r := classes(5, 100, 3, "a\x1b[31m", "b\n", "ü\x00")
	r.names, r.target = []string{"\x1b]0;x\a", "tab\t", "\u202e"}, "\r"
	s := krr.Settings{Lambdas: []float64{1e-3}, Provenance: map[string]string{"\x1b": "\x1b"}}
	m, _, err := krr.Fit(context.Background(), gaussianMap(t, 9, 3, 8, 2), r, s)
	if err != nil {
		t.Fatal(err)
	}
	b, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var back krr.Model
	if err := back.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%q %q %q %q", back.Info().Schema.Target.Classes, back.Info().Schema.Names(), back.Info().Schema.Target.Name, back.Info().Provenance["\x1b"]); got != fmt.Sprintf("%q %q %q %q", r.classes, r.names, r.target, "\x1b") {
		t.Errorf("read %s", got)
	}
	// Nor need they be UTF-8.
	r.classes, r.names, r.target = []string{"caf\xe9", "caf\xe8", "caf\ufffd"}, []string{"\xff", "x", "\xfe"}, "\xe9t\xe9"
	if m, _, err = krr.Fit(context.Background(), gaussianMap(t, 9, 3, 8, 2), r, s); err != nil {
		t.Fatal(err)
	}
	if b, err = m.MarshalBinary(); err != nil {
		t.Fatal(err)
	}
	if err := back.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%q %q %q", back.Info().Schema.Target.Classes, back.Info().Schema.Names(), back.Info().Schema.Target.Name); got != fmt.Sprintf("%q %q %q", r.classes, r.names, r.target) {
		t.Errorf("read %s", got)
	}
	for _, bad := range []string{`"classes.bytes":"[]`, `"classes.bytes":"[1]`, `"target.bytes":"[`, `"inputs.bytes":"{`} {
		key, _, _ := strings.Cut(bad, ":")
		if err := back.UnmarshalBinary(krr.Seal(resized(replaceNth(b, key+`:"[`, bad+`[`, 0)))); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
	g := krr.NewGram(gaussianMap(t, 9, 3, 8, 2), 3, krr.GramSettings{Schema: r.Schema()})
	var h krr.Gram
	if sums, err := g.MarshalBinary(); err != nil || h.UnmarshalBinary(sums) != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%q %q %q", h.Settings().Schema.Target.Classes, h.Settings().Schema.Names(), h.Settings().Schema.Target.Name); got != fmt.Sprintf("%q %q %q", r.classes, r.names, r.target) {
		t.Errorf("read %s", got)
	}
	for _, edit := range adversarial {
		if !bytes.Contains(b, []byte(edit[0])) {
			continue
		}
		for _, evil := range []string{strings.Replace(edit[1], `"`, `"\u001b[2J`, 1), strings.TrimSuffix(edit[1], `"`) + `\u001b"`} {
			if err := back.UnmarshalBinary(krr.Seal(resized(replaceNth(b, edit[0], evil, 0)))); err != nil && strings.ContainsAny(err.Error(), "\x1b\n\r\x00") {
				t.Errorf("%q: the error has control characters: %q", evil, err)
			}
		}
	}
}

// Sums of different precision, map, scaling, targets or classes do not merge.
func TestMergeMismatch(t *testing.T) {
	r := classes(1, 100, 3, "a", "b", "c")
	m := gaussianMap(t, 1, 3, 8, 1)
	var none rff.Scaling
	make := func(m *rff.Map, targets int, s krr.GramSettings, labels ...string) *krr.Gram {
		g := krr.NewGram(m, targets, s)
		y := r.y
		y.Cols = targets
		if err := g.Add(context.Background(), rff.Batch{X: r.x, Y: y}); err != nil {
			t.Fatal(err)
		}
		if labels != nil {
			if err := g.SetClasses(labels); err != nil {
				t.Fatal(err)
			}
		}
		return g
	}
	shift := rff.Scaling{Shift: []float64{1, 2, 3}}
	for name, other := range map[string]*krr.Gram{
		"precision": make(m, 3, krr.GramSettings{Precision: krr.Float32}),
		"map":       make(gaussianMap(t, 2, 3, 8, 1), 3, krr.GramSettings{}),
		"scaling":   make(m, 3, krr.GramSettings{Scaling: shift}),
		"targets":   make(m, 2, krr.GramSettings{Scaling: none}),
		"classes":   make(m, 3, krr.GramSettings{}, "a", "b", "c"),
	} {
		g := make(m, 3, krr.GramSettings{})
		before, _ := g.MarshalBinary()
		for verb, f := range map[string]func(*krr.Gram) error{"merged": g.Merge, "subtracted": g.Subtract} {
			var mm *rff.ParameterError
			if err := f(other); !errors.As(err, &mm) || !strings.Contains(err.Error(), name) {
				t.Errorf("%s of another %s: %v", verb, name, err)
			}
		}
		if after, _ := g.MarshalBinary(); !bytes.Equal(before, after) {
			t.Errorf("%s: the Gram has changed", name)
		}
	}
}

// A Gram with weights keeps them, and the range of its targets, in its file.
func TestGramFile(t *testing.T) {
	data := weighted(3, 700, 3, 2)
	m := gaussianMap(t, 1, 3, 8, 1)
	for _, p := range []krr.Precision{krr.Float64, krr.Float32} {
		g := krr.NewGram(m, 2, krr.GramSettings{Precision: p, Scaling: rff.Scaling{Shift: []float64{1, 2, 3}, Scale: []float64{1, 2, 4}}, Schema: rff.Schema{Inputs: rff.Columns("a", "b", "c"), Target: rff.Target{Name: "y"}}})
		half := func(g *krr.Gram, from, to int) {
			b := rff.Batch{First: int64(from), X: data.x.RowRange(from, to), Y: data.y.RowRange(from, to), Weight: data.w[from:to]}
			if err := g.Add(context.Background(), b); err != nil {
				t.Fatal(err)
			}
		}
		half(g, 0, 600)
		b, _ := g.MarshalBinary()
		h, err := krr.ReadGram(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		half(g, 600, 700)
		half(h, 600, 700)
		// The files differ: h knows that it holds the part that was read.
		if !reflect.DeepEqual(g.Sums(), h.Sums()) || !slices.Equal(g.Reference(), h.Reference()) {
			t.Errorf("%v: a Gram that was read goes on differently", p)
		}
		if h.Rows() != 700 || h.Settings().Precision != p || h.Settings().Schema.Target.Name != "y" || len(h.Settings().Schema.Names()) != 3 || h.Settings().Scaling.Scale[2] != 4 {
			t.Errorf("%d rows, %v, %q, %q", h.Rows(), h.Settings().Precision, h.Settings().Schema.Target.Name, h.Settings().Schema.Names())
		}
		var weight float64
		for _, w := range data.w {
			weight += w
		}
		if got := h.Sums().W; got != weight { // multiples of ¼: exact
			t.Errorf("weight %g, want %g", got, weight)
		}
	}
}

// Numbers in a Gram's file that cannot be are refused.
func TestGramNumbers(t *testing.T) {
	data := weighted(3, 600, 3, 2)
	g := krr.NewGram(gaussianMap(t, 1, 3, 4, 1), 2, krr.GramSettings{})
	if err := g.AddSource(context.Background(), data); err != nil {
		t.Fatal(err)
	}
	file, _ := g.MarshalBinary()
	for name, bad := range map[string][]float64{
		"count":           {math.NaN(), -1, 0.5, math.Inf(1), 1 << 53},
		"gram":            {math.NaN(), math.Inf(-1)},
		"zy":              {math.NaN(), math.Inf(1)},
		"z":               {math.NaN(), math.Inf(1)},
		"y":               {math.NaN(), math.Inf(1)},
		"yy":              {math.NaN(), math.Inf(1)},
		"reference":       {math.NaN(), math.Inf(1)},
		"pending.weight":  {-1, math.NaN(), math.Inf(1)},
		"pending.x":       {math.NaN(), math.Inf(-1)},
		"pending.y":       {math.NaN(), math.Inf(-1)},
		"map.weight":      {math.NaN()},
		"map.frequencies": {math.Inf(1)},
	} {
		for _, v := range bad {
			var fe *krr.FileError
			if err := new(krr.Gram).UnmarshalBinary(withNumber(t, file, name, 0, v)); !errors.As(err, &fe) {
				t.Errorf("%s %g: %v", name, v, err)
			}
		}
	}
	var fe *krr.FileError
	for _, w := range []float64{-1, math.Inf(1)} {
		if err := new(krr.Gram).UnmarshalBinary(withNumber(t, file, "count", 1, w)); !errors.As(err, &fe) {
			t.Errorf("weight %g: %v", w, err)
		}
	}
	// Exact sums have rows of weight 1, and 0 as the reference.
	exact, _ := gram(t, gaussianMap(t, 1, 3, 4, 1), synthetic(3, 600, 3, 2, 0.1), "int12").MarshalBinary()
	for name, at := range map[string]int{"count": 1, "reference": 0} {
		if err := new(krr.Gram).UnmarshalBinary(withNumber(t, exact, name, at, -0.5)); !errors.As(err, &fe) {
			t.Errorf("exact sums, %s: %v", name, err)
		}
	}
}

// numberAt returns where a file has element i of a tensor.
func numberAt(t *testing.T, file []byte, name string, i int) int {
	t.Helper()
	n := binary.LittleEndian.Uint64(file)
	_, after, ok := bytes.Cut(file[8:8+n], []byte(`"`+name+`":{`))
	_, after, ok2 := bytes.Cut(after, []byte(`"data_offsets":[`))
	var from int
	if _, err := fmt.Sscan(strings.Split(string(after[:20]), ",")[0], &from); err != nil || !ok || !ok2 {
		t.Fatalf("no tensor %s", name)
	}
	return 8 + int(n) + from + 8*i
}

func numberIn(t *testing.T, file []byte, name string, i int) float64 {
	t.Helper()
	return math.Float64frombits(binary.LittleEndian.Uint64(file[numberAt(t, file, name, i):]))
}

// withNumber returns a file with element i of a tensor set to v.
func withNumber(t *testing.T, file []byte, name string, i int, v float64) []byte {
	t.Helper()
	b := bytes.Clone(file)
	binary.LittleEndian.PutUint64(b[numberAt(t, file, name, i):], math.Float64bits(v))
	return krr.Seal(b)
}

// A classifier has two classes or more.
func TestOneClass(t *testing.T) {
	m, _ := fitted(t, krr.Float64, "n", "y")
	file, _ := m.MarshalBinary()
	for _, bad := range []string{`"classes":"[\"n\"]"`, `"classes":"[]"`, `"classes":"[\"n\",\"y\",\"z\"]"`} {
		var fe *krr.FileError
		if err := new(krr.Model).UnmarshalBinary(edited(t, file, `"classes":"[\"n\",\"y\"]"`, bad)); !errors.As(err, &fe) || !strings.Contains(err.Error(), "classes") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// Numbers in a model's file that cannot be are refused.
func TestModelNumbers(t *testing.T) {
	r := classes(1, 120, 3, "a", "b", "c")
	all, _, err := krr.Fit(context.Background(), gaussianMap(t, 9, 3, 4, 2), r, krr.Settings{Probabilities: true, Uncertainty: "variance", Lambdas: []float64{1e-3}})
	if err != nil {
		t.Fatal(err)
	}
	file, _ := all.MarshalBinary()
	if err := new(krr.Model).UnmarshalBinary(withNumber(t, file, "intercept", 0, 1.5)); err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string][]float64{
		"intercept":       {math.NaN(), math.Inf(1)},
		"coefficients":    {math.NaN(), math.Inf(1)},
		"map.frequencies": {math.NaN(), 7}, // 7: the fingerprint
		"variance.weight": {0, -1, math.NaN()},
		"variance.of":     {math.Float64frombits(1), math.Float64frombits(math.MaxUint64)},
	} {
		for _, v := range bad {
			var fe *krr.FileError
			if err := new(krr.Model).UnmarshalBinary(withNumber(t, file, name, 0, v)); !errors.As(err, &fe) {
				t.Errorf("%s %g: %v", name, v, err)
			}
		}
	}
	var p mat.Dense
	if err := all.Predict(&p, dense(r.x)); err != nil {
		t.Fatal(err)
	}
}
