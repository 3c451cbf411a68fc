package krr_test

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/krr"
)

// stamped returns rows with an id, a time and a name in CSV, as layout writes times, and
// the times: three a day over three years, of UTC with an offset if the layout has one.
func stamped(layout string, n int) (string, []time.Time) {
	var b strings.Builder
	var at []time.Time
	b.WriteString("id,when,y\n")
	zone := time.FixedZone("", 2*3600)
	for i := range n {
		t := time.Date(2021, 12, 30, 0, 0, 0, 0, time.UTC).Add(time.Duration(i) * 41 * time.Hour)
		at = append(at, t)
		if strings.Contains(layout, "-0700") {
			t = t.In(zone)
		}
		fmt.Fprintf(&b, "%d,%s,%v\n", 1000+i*i, t.Format(layout), math.Sin(float64(i)/9)+float64(t.Hour())/24)
	}
	return b.String(), at
}

// A file with an id and times fits, whatever the form of the times; the model that was
// written predicts the same of a file without the id, of texts and of moments.
func TestModelOfTimes(t *testing.T) {
	for _, layout := range []string{"2006-01-02T15:04:05Z07:00", "2006-01-02 15:04:05-0700", "02/01/2006 15:04", "1/2/2006 3:04:05 PM", "02-Jan-2006 15:04:05.000"} {
		data, at := stamped(layout, 500)
		files := fstest.MapFS{"t.csv": {Data: []byte(data)}, "new.csv": {Data: []byte("when\n" + at[7].Format(layout) + "\n" + at[450].Format(layout) + "\n")}}
		f, err := dataset.Open(t.Context(), dataset.Options{FS: files}, "t.csv")
		if err != nil {
			t.Errorf("%s: %v", layout, err)
			continue
		}
		if notes := strings.Join(f.Notes(), "\n"); !strings.Contains(notes, `"id" has another whole number`) || !strings.Contains(notes, "days since 1970-01-01, hour of the day, weekday, day of the year") {
			t.Errorf("%s: %s", layout, notes)
		}
		sum, err := f.Scan(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		model, _, err := krr.Fit(t.Context(), gaussianMap(t, 3, 4, 24, 2), sum.Source(), krr.Settings{Lambdas: []float64{1e-2}, Scaling: sum.Scaling("")})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "model")
		if err := model.Save(path); err != nil {
			t.Fatal(err)
		}
		if model, err = krr.Load(path); err != nil {
			t.Fatal(err)
		}
		s := model.Info().Schema
		if len(s.Inputs) != 1 || s.Inputs[0].Time == nil || fmt.Sprint(s.InputNames()) != "[when when:hour when:weekday when:yearday]" {
			t.Fatalf("%s: %+v", layout, s)
		}
		fresh, err := dataset.Open(t.Context(), dataset.Options{FS: files, Schema: &s, Task: dataset.Unlabelled}, "new.csv")
		if err != nil {
			t.Fatal(err)
		}
		e, err := s.Encoder()
		if err != nil {
			t.Fatal(err)
		}
		encode, err := rff.EncoderOf[struct {
			When time.Time `rff:"when"`
		}](s)
		if err != nil {
			t.Fatal(err)
		}
		var want [][]float64
		for row, err := range fresh.Rows(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			moment := at[[]int{7, 450}[row.Place.Row-1]]
			days := float64(moment.Unix()) / 86400
			expect := []float64{days, float64(moment.Hour()), float64((moment.Weekday() + 6) % 7), float64(moment.YearDay())}
			x, z := make([]float64, 4), make([]float64, 4)
			for j, v := range expect {
				if math.Abs(row.X[j]-v) > 1e-9*v {
					t.Errorf("%s: row %d: %v, want %v", layout, row.Place.Row, row.X, expect)
				}
			}
			if err := e(x, []string{moment.Format(layout)}); err != nil || fmt.Sprint(x) != fmt.Sprint(row.X) {
				t.Errorf("%s: of text %v, %v, of a file %v", layout, x, err, row.X)
			}
			if err := encode(z, &struct {
				When time.Time `rff:"when"`
			}{moment}); err != nil || fmt.Sprint(z) != fmt.Sprint(row.X) {
				t.Errorf("%s: of a moment %v, %v, of a file %v", layout, z, err, row.X)
			}
			y := make([]float64, 1)
			if err := model.PredictRow(y, x); err != nil {
				t.Fatal(err)
			}
			want = append(want, y)
		}
		lines := strings.Split(strings.TrimSpace(string(files["new.csv"].Data)), "\n")
		for i, r := range readModel(t, numpy(t), path, lines)[1:] {
			near(t, fmt.Sprintf("%s: row %d", layout, i+1), r, want[i])
		}
	}
}
