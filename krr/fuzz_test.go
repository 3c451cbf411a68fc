package krr_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// structured returns a map on Hadamard blocks, whose file has all that a dense
// one has not.
func structured(t testing.TB) *rff.Map {
	t.Helper()
	m, err := sampling.SORF{}.Sample(context.Background(), rff.Request{Kernel: rff.NewGaussian(2), Dim: 3, Features: 16, Rand: rand.NewPCG(1, 2)})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// adversarial are edits of a sound file: of sizes, types and references.
var adversarial = [][2]string{
	{`"shape":[`, `"shape":[9223372036854775807,`},
	{`"shape":[`, `"shape":[-1,`},
	{`"shape":[`, `"shape":[0,`},
	{`"F64"`, `"I64"`},
	{`"map.inputs":"3"`, `"map.inputs":"0"`},
	{`"map.inputs":"3"`, `"map.inputs":"-3"`},
	{`"map.inputs":"3"`, `"map.inputs":"9223372036854775807"`},
	{`\"Size\":4`, `\"Size\":1152921504606846976`},
	{`\"Keep\":`, `\"Keep\":-`},
	{`\"Diagonals\":3`, `\"Diagonals\":16777216`},
	{`\"Tanh\":true`, `\"Tanh\":false`},
	{`\"Depth\":2`, `\"Depth\":0`},
	{`\"Depth\":2`, `\"Depth\":-2`},
	{`\"Depth\":2`, `\"Depth\":13`},
	{`\"Depth\":2`, `\"Depth\":4611686018427387904`},
	{`"map.kernel":"gaussian:sigma=2`, `"map.kernel":"gaussian:sigma=-2`},
	{`"version":"1"`, `"version":"2"`},
	{`"precision":"float64"`, `"precision":"float16"`},
	{`"lambda":"[`, `"lambda":"{`},
	{`"lambda":"[`, `"lambdi":"[`},
	{`"classes":"[`, `"classes":"[\"x\",`},
	{`"coefficients"`, `"coefficient"`},
	{`"variance.of"`, `"variance.if"`},
	{`"calibration.slope"`, `"calibration.slop"`},
}

// every model and Gram that a fuzzer should start from.
func soundFiles(t testing.TB) (files [][]byte) {
	t.Helper()
	add := func(b []byte, err error) {
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, b)
	}
	for _, labels := range [][]string{nil, {"n", "y"}} {
		m, _ := fitted(t, krr.Float64, labels...)
		add(m.MarshalBinary())
	}
	r := classes(1, 60, 3, "a", "b", "c")
	all, _, err := krr.Fit(context.Background(), structured(t), r, krr.Settings{Probabilities: true, Uncertainty: "variance"})
	if err != nil {
		t.Fatal(err)
	}
	add(all.MarshalBinary())
	trees, _, err := krr.Fit(context.Background(), boosted(t, r, 2, 3, true), r, krr.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	add(krr.MeanOf([]*krr.Model{trees, trees}, []float64{0.5, 0.5}).MarshalBinary())
	_, _, numbers := steps(t, 300, []string{"a", "b"})
	for _, own := range []bool{false, true} {
		m, _, err := krr.Fit(context.Background(), boosted(t, numbers, 2, 3, own), numbers, krr.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		add(m.MarshalBinary())
	}
	add(gram(t, gaussianMap(t, 9, 3, 4, 2), r, krr.Float64).MarshalBinary())
	return files
}

// A file that is not sound is a *FileError, never a panic or a huge allocation:
// here with the right checksum, so that the checks behind it have their turn.
func TestAdversarialFiles(t *testing.T) {
	var fe *krr.FileError
	applied := map[[2]string]bool{}
	for i, file := range soundFiles(t) {
		for _, edit := range adversarial {
			at := bytes.Count(file, []byte(edit[0]))
			applied[edit] = applied[edit] || at > 0
			for k := range min(at, 4) {
				bad := krr.Seal(resized(replaceNth(file, edit[0], edit[1], k)))
				if err := useFile(bad); err != nil && !errors.As(err, &fe) {
					t.Errorf("file %d, %s for %s: %v", i, edit[1], edit[0], err)
				} else if err == nil && !strings.Contains(edit[0], `"classes"`) && !strings.Contains(edit[0], `n.s`) && !strings.Contains(edit[0], `e.o`) && edit[1] != `"shape":[0,` {
					t.Errorf("file %d, %s for %s: no error", i, edit[1], edit[0])
				}
			}
		}
	}
	for _, edit := range adversarial {
		if !applied[edit] {
			t.Errorf("no file has %s: the format has changed", edit[0])
		}
	}
}

// replaceNth replaces the k-th occurrence of old.
func replaceNth(b []byte, old, new string, k int) []byte {
	parts := bytes.SplitN(b, []byte(old), k+2)
	last := len(parts) - 1
	return append(append(bytes.Join(parts[:last], []byte(old)), new...), parts[last]...)
}

// resized returns the file with the length of its header, and its padding, set anew.
func resized(b []byte) []byte {
	end := bytes.LastIndex(b, []byte(`}}`)) + 2
	data := bytes.TrimLeft(b[end:], " ")
	header := bytes.Clone(b[8:end])
	for len(header)%8 != 0 {
		header = append(header, ' ')
	}
	return slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header, data)
}

// useFile reads a model or a Gram and uses it.
func useFile(b []byte) error {
	var m krr.Model
	err := m.UnmarshalBinary(b)
	if err == nil {
		return useModel(&m)
	}
	var g krr.Gram
	if e := g.UnmarshalBinary(b); e != nil {
		return errors.Join(err, e)
	}
	g.Solve(context.Background(), 1e-3)
	return nil
}

// useModel predicts rows. Whatever its scaling, a model takes the row that it scales to
// zeros; zeros themselves may lie so far from it that they are refused as a value.
func useModel(m *krr.Model) error {
	in, out := m.Dims()
	middle := make([]float64, in)
	if s := m.Info().Scaling; s.From == nil {
		copy(middle, s.Shift)
	}
	if err := m.PredictRow(make([]float64, out), middle); err != nil {
		return err
	}
	var far *rff.ValueError
	if err := m.PredictRow(make([]float64, out), make([]float64, in)); err != nil && !errors.As(err, &far) {
		return err
	}
	for _, row := range [][]float64{middle, make([]float64, in)} {
		m.Variance(new(mat.Dense), mat.NewDense(1, in, row))
		m.Probabilities(new(mat.Dense), mat.NewDense(1, in, row))
	}
	m.MarshalBinary()
	return nil
}

// starts are sound files and their edits, with whether to seal them.
func starts(t testing.TB, files [][]byte, add func(b []byte, seal bool)) {
	t.Helper()
	for _, b := range files {
		add(b, false)
		add(b, true)
		for _, edit := range adversarial {
			if bytes.Contains(b, []byte(edit[0])) {
				add(resized(replaceNth(b, edit[0], edit[1], 0)), true)
			}
		}
	}
}

func FuzzUnmarshal(f *testing.F) {
	starts(f, soundFiles(f), func(b []byte, seal bool) { f.Add(b, seal) })
	f.Fuzz(checkFile)
}

// checkFile reads any bytes as a model and as a Gram.
func checkFile(t *testing.T, b []byte, seal bool) {
	if seal {
		b = krr.Seal(b)
	}
	var fe *krr.FileError
	if err := useFile(b); err != nil && !errors.As(err, &fe) {
		t.Fatal(err)
	}
	// A stream, whose size is not known, is the same model or none.
	_, err := krr.ReadModel(bytes.NewReader(b))
	if whole := new(krr.Model).UnmarshalBinary(b); (err == nil) != (whole == nil) || (err != nil && !errors.As(err, &fe)) {
		t.Fatalf("whole: %v; as a stream: %v", whole, err)
	}
}

// A checkpoint of any content is resumed or refused.
func FuzzCheckpoint(f *testing.F) {
	c := checkpointsOf(f)
	starts(f, c.files, func(b []byte, seal bool) { f.Add(b, seal) })
	f.Fuzz(c.check)
}

// checkpoints are those of a fit.
type checkpoints struct {
	m     *rff.Map
	rows  rff.Source
	s     krr.Settings
	dir   string
	files [][]byte
	tried int
}

func checkpointsOf(t testing.TB) *checkpoints {
	t.Helper()
	c := &checkpoints{m: gaussianMap(t, 9, 3, 4, 2), dir: t.TempDir()}
	r := classes(1, 700, 3, "a", "b", "c")
	c.rows = r
	c.s = krr.Settings{Checkpoint: krr.Checkpoint{Path: filepath.Join(c.dir, "check"), Every: 1}, Folds: 2}
	broken := errors.New("broken")
	for _, after := range []int{100, 600} {
		if _, _, err := krr.Fit(context.Background(), c.m, failing{r, after, broken}, c.s); !errors.Is(err, broken) {
			t.Fatal(err)
		}
		b, err := os.ReadFile(c.s.Checkpoint.Path)
		if err != nil {
			t.Fatal(err)
		}
		c.files = append(c.files, b)
	}
	return c
}

// check goes on from any bytes.
func (c *checkpoints) check(t *testing.T, b []byte, seal bool) {
	if seal {
		b = krr.Seal(b)
	}
	c.tried++
	s := c.s
	s.Checkpoint = krr.Checkpoint{Path: filepath.Join(c.dir, fmt.Sprint(os.Getpid(), c.tried)), Every: 1 << 40}
	if err := os.WriteFile(s.Checkpoint.Path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(s.Checkpoint.Path)
	_, _, err := krr.Fit(context.Background(), c.m, c.rows, s)
	var fe *krr.FileError
	var singular *krr.SolveError // sums can be anything finite or not
	var empty *rff.DegenerateDataError
	var class *rff.ParameterError
	if err != nil && !errors.As(err, &fe) && !errors.As(err, &singular) && !errors.As(err, &empty) && !errors.As(err, &class) {
		t.Fatal(err)
	}
}

// TestMutatedFiles tries random changes of sound files, as the fuzzers do, which take
// longer to build than these to run.
func TestMutatedFiles(t *testing.T) {
	files, fits := 6000, 2000
	if testing.Short() {
		files, fits = 600, 200
	}
	r := rand.New(rand.NewPCG(27, 4))
	c := checkpointsOf(t)
	for _, of := range []struct {
		files [][]byte
		tries int
		check func(*testing.T, []byte, bool)
	}{{soundFiles(t), files, checkFile}, {c.files, fits, c.check}} {
		var from [][]byte
		starts(t, of.files, func(b []byte, seal bool) {
			if seal {
				from = append(from, b)
			}
		})
		for range of.tries {
			of.check(t, mutated(r, from[r.IntN(len(from))]), r.IntN(8) > 0)
		}
	}
}

// mutated returns the file with one to four random changes, most of them in its header.
func mutated(r *rand.Rand, b []byte) []byte {
	b = bytes.Clone(b)
	for range 1 + r.IntN(4) {
		within := len(b)
		if end := bytes.LastIndex(b, []byte(`}}`)); end > 0 && r.IntN(4) > 0 {
			within = end
		}
		if within < 16 {
			return b
		}
		at := r.IntN(within - 8)
		n := min(1+r.IntN(24), len(b)-at)
		switch r.IntN(8) {
		case 0:
			b[at] ^= 1 << r.IntN(8)
		case 1:
			b[at] = byte(r.Uint32())
		case 2, 3: // a digit, where there is one
			if i := bytes.IndexAny(b[at:], "0123456789"); i >= 0 {
				b[at+i] = "0123456789-e."[r.IntN(13)]
			}
		case 4:
			b = slices.Delete(b, at, at+n)
		case 5:
			b = slices.Insert(b, at, bytes.Clone(b[at:at+n])...)
		case 6:
			special := []uint64{0, 1, 1 << 63, 1<<63 - 1, 1<<64 - 1, 0x7ff8 << 48, 0x7ff0 << 48, 0xfff0 << 48, 0x7fef << 48, 1 << 40}
			binary.LittleEndian.PutUint64(b[at:], special[r.IntN(len(special))])
		case 7:
			if r.IntN(8) == 0 {
				b = b[:at]
			}
		}
	}
	if r.IntN(2) == 0 && bytes.Contains(b, []byte(`}}`)) && len(b) > 16 {
		b = resized(b)
	}
	return b
}
