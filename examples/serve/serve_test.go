package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// save fits rents, times a factor, and puts the model at path at once, as rff fit does.
func save(t *testing.T, path string, times float64, column string, loss ...string) *krr.Model {
	t.Helper()
	var b bytes.Buffer
	fmt.Fprintf(&b, "district,area,%s,rent\n", column)
	for i := range 200 {
		area := fmt.Sprint(30 + i*37%97)
		if i%50 == 7 {
			area = ""
		}
		fmt.Fprintf(&b, "%s,%s,%d,%g\n", []string{"Harbour", "Hill", "Market"}[i%3], area, 1+i%5, times*float64(400+10*(i*37%97)))
	}
	files := fstest.MapFS{"flats.csv": &fstest.MapFile{Data: b.Bytes()}}
	table, err := dataset.Read(context.Background(), dataset.Options{FS: files, Label: "rent", Missing: rff.MissingMean}, "flats.csv")
	if err != nil {
		t.Fatal(err)
	}
	in, _ := table.Source().Schema().Dims()
	q := rff.Request{Kernel: rff.NewGaussian(60), Dim: in, Features: 40, Rand: rand.NewPCG(1, 2)}
	name := "rff"
	if slices.Contains(loss, "poisson") { // whose predictions then have no bound
		q.Kernel, q.Features, name = nil, in, "linear"
	}
	sampler, err := sampling.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	features, err := sampler.Sample(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := krr.Fit(context.Background(), features, table.Source(), krr.Settings{Lambdas: []float64{1e-6}, Loss: strings.Join(loss, "")})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	return m
}

// start serves on a port of its own, and returns its address and a function that ends it.
func start(t *testing.T, path string) (url string, end func() error) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- run(ctx, l, path, 5*time.Millisecond, 1000) }()
	var once sync.Once
	end = func() (err error) {
		once.Do(func() { stop(); err = <-done })
		return err
	}
	t.Cleanup(func() { end() })
	return "http://" + l.Addr().String(), end
}

func post(url, body string) (int, string) {
	r, err := http.Post(url+"/predict", "application/json", strings.NewReader(body))
	if err != nil {
		return 0, err.Error()
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return 0, err.Error()
	}
	return r.StatusCode, string(text)
}

// Rows are predicted as the model does, and a bad request says what is wrong with which row.
func TestPredict(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.safetensors")
	m := save(t, path, 1, "rooms")
	url, _ := start(t, path)
	encode, err := m.Info().Schema.Encoder()
	if err != nil {
		t.Fatal(err)
	}
	in, _ := m.Dims()
	status, text := post(url, `[{"district":"Hill","area":60,"rooms":2},{"district":"Market","area":null,"rooms":1},{"district":"Hill","area":60},{"area":60,"rooms":2}]`)
	var got answer
	if err := json.Unmarshal([]byte(text), &got); err != nil || status != 200 || len(got.Predictions) != 4 {
		t.Fatal(status, text, err)
	}
	for i, row := range []map[string]any{{"district": "Hill", "area": 60, "rooms": 2}, {"district": "Market", "area": nil, "rooms": 1},
		{"district": "Hill", "area": 60, "rooms": nil}, {"district": nil, "area": 60, "rooms": 2}} {
		x, y := make([]float64, in), make([]float64, 1)
		if err := encode(x, row); err != nil {
			t.Fatal(err)
		}
		if err := m.PredictRow(y, x); err != nil || y[0] != got.Predictions[i] {
			t.Errorf("row %d: %g, want %g, %v", i+1, got.Predictions[i], y[0], err)
		}
	}
	for body, want := range map[string]string{
		`[{"district":"Hill","area":60,"rooms":2},{"district":"Moon","area":60,"rooms":2}]`: `400 row 2: .*"Moon".*`,
		`[{"district":"Hill","area":60,"room":2}]`:                                          `400 .*unknown field "room".*`,
		`{"district":"Hill"}`: `400 the request is no list of rows.*`,
		`[]`:                  `400 the request has no rows\n`,
		`[{"district":"Hill","area":60,"rooms":2}]]`:         `400 the request has more than one list of rows\n`,
		`[{"area":60},{"area":"60"}]`:                        `400 row 2: .*area.*`,
		`[{"area":60},{"area":NaN}]`:                         `400 row 2: .*'N'.*`,
		`[{"area":60},`:                                      `400 row 2: .*`,
		`[{"area":60} `:                                      `400 the list does not end after row 1: .*`,
		`null`:                                               `400 the request is no list of rows\n`,
		"[" + strings.Repeat(" ", 1000) + "]":                `413 a request has at most 1000 bytes\n`,
		`[{"area":60}]` + strings.Repeat(" ", 1000):          `413 a request has at most 1000 bytes\n`,
		`[{"district":"` + strings.Repeat("a", 1000) + `"}]`: `413 a request has at most 1000 bytes\n`,
	} {
		status, text := post(url, body)
		if got := fmt.Sprint(status, " ", text); !regexp.MustCompile("^(?s:" + want + ")$").MatchString(got) {
			t.Errorf("%s: %q, want %s", body, got, want)
		}
	}
}

// A row that the model cannot predict is refused with what is wrong with it: it is no failure of
// the server.
func TestRowTooLarge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.safetensors")
	for _, loss := range []string{"poisson", "squares"} { // of which the first overflows, and the second is not resolved
		save(t, path, 1, "rooms", loss)
		s, err := newServer(path, 1000)
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		s.routes().ServeHTTP(w, httptest.NewRequest("POST", "/predict", strings.NewReader(`[{"district":"Hill","area":60,"rooms":2},{"district":"Hill","area":1e100,"rooms":2}]`)))
		if text := w.Body.String(); w.Code != 400 || !strings.Contains(text, "row 2") {
			t.Errorf("%s: %d %s", loss, w.Code, text)
		}
	}
}

// So is a row whose class the model cannot tell.
func TestRowTooLargeForAClass(t *testing.T) {
	var b bytes.Buffer
	fmt.Fprintln(&b, "area,kind")
	for i := range 60 {
		fmt.Fprintf(&b, "%d,%s\n", 30+i, []string{"flat", "house"}[i/30])
	}
	table, err := dataset.Read(t.Context(), dataset.Options{FS: fstest.MapFS{"homes.csv": &fstest.MapFile{Data: b.Bytes()}}, Label: "kind"}, "homes.csv")
	if err != nil {
		t.Fatal(err)
	}
	features, err := rff.New(rff.NewGaussian(20), 1, 40, rand.NewPCG(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := krr.Fit(t.Context(), features, table.Source(), krr.Settings{Lambdas: []float64{1e-6}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "m.safetensors")
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	s, err := newServer(path, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for body, want := range map[string]string{`[{"area":40},{"area":80}]`: `"flat","house"`, `[{"area":40},{"area":1e100}]`: "row 2"} {
		w := httptest.NewRecorder()
		s.routes().ServeHTTP(w, httptest.NewRequest("POST", "/predict", strings.NewReader(body)))
		if text := w.Body.String(); (w.Code == 400) != (want == "row 2") || !strings.Contains(text, want) {
			t.Errorf("%s: %d %s, want %s", body, w.Code, text, want)
		}
	}
}

// While models come and go, among them files that are none, every request is answered, by one of
// the models.
func TestReload(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.safetensors")
	save(t, path, 1, "rooms")
	url, end := start(t, path)
	const row = `[{"district":"Hill","area":60,"rooms":2}]`
	_, first := post(url, row)
	stop, wrong := make(chan struct{}), make(chan string, 8)
	var group sync.WaitGroup
	for range 4 {
		group.Add(1)
		go func() {
			defer group.Done()
			for {
				select {
				case <-stop:
					return
				default:
				}
				status, text := post(url, row)
				if n := 0.0; status != 200 {
					wrong <- fmt.Sprint(status, text)
					return
				} else if _, err := fmt.Sscanf(text, `{"predictions":[%f]}`, &n); err != nil || n < 500 || n > 3000 {
					wrong <- fmt.Sprint(text, err)
					return
				}
			}
		}()
	}
	until := func(what string, ok func() bool) {
		t.Helper()
		for begin := time.Now(); !ok(); time.Sleep(2 * time.Millisecond) {
			if time.Since(begin) > 20*time.Second {
				t.Fatal(what)
			}
		}
	}
	metric := func(name string) string {
		r, err := http.Get(url + "/metrics")
		if err != nil {
			return err.Error()
		}
		defer r.Body.Close()
		text, _ := io.ReadAll(r.Body)
		return regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + ` (.*)$`).FindString(string(text))
	}
	save(t, path, 2, "rooms")
	until("the new model is not taken", func() bool { _, now := post(url, row); return now != first })
	const refused = `serve_reloads_total{taken="no"}`
	before := metric(refused)
	if err := os.WriteFile(path, []byte("no model"), 0o666); err != nil { // not at once: a look may see it twice
		t.Fatal(err)
	}
	until("a file that is no model is not counted", func() bool { return metric(refused) != before })
	time.Sleep(100 * time.Millisecond)
	before = metric(refused)
	save(t, path, 2, "floor") // of other columns
	until("a model of other columns is not counted", func() bool { return metric(refused) != before })
	save(t, path, 1, "rooms")
	until("the first model is not taken again", func() bool { _, now := post(url, row); return now == first })
	close(stop)
	group.Wait()
	select {
	case text := <-wrong:
		t.Error(text)
	default:
	}
	for _, name := range []string{`serve_requests_total{outcome="answered"}`, "serve_rows_total", "serve_request_seconds_count", `serve_request_seconds_bucket{le="+Inf"}`} {
		if text := metric(name); strings.HasSuffix(text, " 0") || text == "" {
			t.Errorf("%s: %q", name, text)
		}
	}
	if r, err := http.Get(url + "/healthz"); err != nil || r.StatusCode != 200 {
		t.Error(r, err)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

// A request that has begun is answered when the server is told to end.
func TestEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.safetensors")
	save(t, path, 1, "rooms")
	url, end := start(t, path)
	c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	const half, rest = `[{"district":"Hill",`, `"area":60,"rooms":2}]`
	fmt.Fprintf(c, "POST /predict HTTP/1.1\r\nHost: here\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", len(half+rest))
	answers := bufio.NewReader(c)
	if line, err := answers.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") { // the body is being read
		t.Fatal(line, err)
	}
	io.WriteString(c, half)
	ended := make(chan error, 1)
	go func() { ended <- end() }()
	time.Sleep(20 * time.Millisecond)
	io.WriteString(c, rest)
	answers.ReadString('\n')
	r, err := http.ReadResponse(answers, nil)
	if err != nil || r.StatusCode != 200 {
		t.Fatal(r, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A model that is not there, or of other columns, or of several quantiles, is refused at the start.
func TestStart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.safetensors")
	if _, err := newServer(path, 1); err == nil {
		t.Error("there is no file")
	}
	save(t, path, 1, "floor")
	if _, err := newServer(path, 1); err == nil || !strings.Contains(err.Error(), "floor") {
		t.Error(err)
	}
	save(t, path, 1, "rooms", "quantile:0.1,0.9")
	if _, err := newServer(path, 1); err == nil || !strings.Contains(err.Error(), "2 numbers") {
		t.Error(err)
	}
}
