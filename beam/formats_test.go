package rffbeam

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"

	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/krr"
)

func init() {
	filesystem.Register("stream", func(ctx context.Context) filesystem.Interface { return streams{local.New(ctx)} })
}

// streams is the local file system, of which files are streams, as those of object stores
// are.
type streams struct{ filesystem.Interface }

func (s streams) List(ctx context.Context, glob string) ([]string, error) {
	names, err := s.Interface.List(ctx, strings.TrimPrefix(glob, "stream://"))
	for i, n := range names {
		names[i] = "stream://" + n
	}
	return names, err
}

func (s streams) Size(ctx context.Context, name string) (int64, error) {
	return s.Interface.Size(ctx, strings.TrimPrefix(name, "stream://"))
}

func (s streams) OpenRead(ctx context.Context, name string) (io.ReadCloser, error) {
	f, err := s.Interface.OpenRead(ctx, strings.TrimPrefix(name, "stream://"))
	return struct{ io.ReadCloser }{f}, err
}

// Avro and Arrow files that other libraries wrote are fitted as package dataset reads
// them, in place and as streams; a stream beyond the bound is refused.
func TestFormatsOfColumns(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pattern string
		r       Reading
	}{
		"avro":  {"../dataset/avro/testdata/js-*.avro", Reading{Label: "y", Inputs: []string{"flag", "f64", "f32", "price"}}},
		"arrow": {"../dataset/parquet/testdata/js.arrow", Reading{Label: "y", Inputs: []string{"f64", "u8"}}},
	} {
		all, err := filepath.Abs(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		fitted := func(all string, r Reading) (*krr.Model, []byte, error) {
			file := filepath.Join(t.TempDir(), "plan")
			if err := run(t, func(s beam.Scope) { WritePlan(s, file, Plan(s, all, r, Planning{Features: 16})) }); err != nil {
				return nil, nil, err
			}
			p := contents(t, file)
			m, err := fitOf(t, all, p, r, Fitting{Lambda: 1e-2})
			return m, p, err
		}
		m, p, err := fitted(all, c.r)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := referenceOf(t, p, dataset.Options{Label: "y", Inputs: c.r.Inputs}, krr.Settings{Lambdas: []float64{1e-2}}, glob(t, all)...)
		if e := apart(t, m, want); e > 1e-9 {
			t.Errorf("%s: predictions differ by %g", name, e)
		}
		streamed, q, err := fitted("stream://"+all, c.r)
		if err != nil || !bytes.Equal(p, q) || apart(t, m, streamed) > 1e-9 {
			t.Errorf("%s as a stream: %v", name, err)
		}
		c.r.MostBytes = 200
		if _, _, err := fitted("stream://"+all, c.r); err == nil || !strings.Contains(err.Error(), "is held in memory: the limit is 200") {
			t.Errorf("%s as a stream of more bytes than the bound: %v", name, err)
		}
	}
}

// A plan leaves bad rows out as a fit does, and the error about a value that no feature
// resolves names its row, whichever fold it is in.
func TestRowsOfAPlan(t *testing.T) {
	t.Parallel()
	dir := parts(t, 2, 300, 17, 250)
	all := filepath.Join(dir, "*.csv")
	file := filepath.Join(t.TempDir(), "plan")
	plan := func(r Reading) error {
		return run(t, func(s beam.Scope) { WritePlan(s, file, Plan(s, all, r, Planning{Features: 16})) })
	}
	if err := plan(Reading{}); err == nil || !strings.Contains(err.Error(), "p0.csv: row 17 (line 18)") {
		t.Errorf("%v", err)
	}
	if err := plan(Reading{Aside: true}); err != nil {
		t.Fatal(err)
	}
	if p := plannedOf(t, file+".rows"); p.Rows != 598 || p.Files != 2 {
		t.Errorf("the files have 298 and 300 rows: %+v", p)
	}
	p := contents(t, file)
	if _, err := fitOf(t, all, p, Reading{Aside: true}, Fitting{}); err != nil {
		t.Errorf("%v", err)
	}
	write(t, filepath.Join(dir, "p2.csv"), []byte("a,b,c,y\n1,2,3,4\n1,2,3,4\n1,1e300,3,4\n1,2,3,4\n"))
	if _, err := fitOf(t, all, p, Reading{Aside: true}, Fitting{}); err == nil || !strings.Contains(err.Error(), `p2.csv: row 3, `) || !strings.Contains(err.Error(), "1e+300") {
		t.Errorf("%v", err)
	}
}
