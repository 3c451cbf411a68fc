package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/krr"
)

// flat is a row, by the names of the model's columns. Every field is a pointer: without one, a
// column that a request leaves out would be 0. It is a missing value, which the model has a rule
// for or refuses.
type flat struct {
	District *string  `json:"district" rff:"district"`
	Area     *float64 `json:"area" rff:"area"`
	Rooms    *float64 `json:"rooms" rff:"rooms"`
}

// loaded is a model with what a request needs of it. It never changes, so requests share it.
type loaded struct {
	model  *krr.Model
	encode func(dst []float64, row *flat) error
	in     int
	file   os.FileInfo
}

// load reads a model, and checks that its columns are those of flat, and that it says one thing
// of a row.
func load(path string) (*loaded, error) {
	file, err := os.Stat(path) // before it is read: what changes after that is seen by the next look
	if err != nil {
		return nil, err
	}
	m, err := krr.Load(path)
	if err != nil {
		return nil, err
	}
	encode, err := rff.EncoderOf[flat](m.Info().Schema)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	in, out := m.Dims()
	if out > 1 && m.Info().Schema.Target.Classes == nil {
		return nil, fmt.Errorf("%s: the model predicts %d numbers for each row, and an answer has one: fit one target, or one quantile", path, out)
	}
	return &loaded{m, encode, in, file}, nil
}

type server struct {
	path   string
	body   int64 // most bytes of a request
	now    atomic.Pointer[loaded]
	ending atomic.Bool
	reload sync.Mutex
	metrics
}

func newServer(path string, body int64) (*server, error) {
	m, err := load(path)
	if err != nil {
		return nil, err
	}
	s := &server{path: path, body: body}
	s.now.Store(m)
	return s, nil
}

func (s *server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /predict", s.timed(s.predict))
	mux.HandleFunc("GET /metrics", s.write)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		if s.ending.Load() {
			http.Error(w, "ending", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	return mux
}

// take puts the model of the file in the place of the one at hand, if it can be read. Requests
// that began with the old one end with it.
func (s *server) take() error {
	s.reload.Lock()
	defer s.reload.Unlock()
	m, err := load(s.path)
	if err != nil {
		s.failedReloads.Add(1)
		return fmt.Errorf("the model stays as it was: %w", err)
	}
	s.now.Store(m)
	s.reloads.Add(1)
	return nil
}

// watch takes a new model on SIGHUP, and when the file has changed since it was read or tried.
func (s *server) watch(stop context.Context, look time.Duration) {
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	defer signal.Stop(hup)
	var tick <-chan time.Time
	if look > 0 {
		t := time.NewTicker(look)
		defer t.Stop()
		tick = t.C
	}
	tried := s.now.Load().file
	for {
		select {
		case <-stop.Done():
			return
		case <-hup:
		case <-tick:
			if file, err := os.Stat(s.path); err != nil || os.SameFile(file, tried) && file.ModTime().Equal(tried.ModTime()) && file.Size() == tried.Size() {
				continue // no file is no new model
			} else {
				tried = file
			}
		}
		if err := s.take(); err != nil {
			log.Print(err)
		} else {
			log.Printf("took a new %s", s.path)
		}
	}
}

// answer is what /predict returns: a number or a label for each row.
type answer struct {
	Predictions []float64 `json:"predictions,omitempty"`
	Labels      []string  `json:"labels,omitempty"`
}

// read reads a JSON list of rows, one after the other, so that an error has the number of its row.
func read(from io.Reader) (rows []flat, err error) {
	in := json.NewDecoder(from)
	in.DisallowUnknownFields()
	if begin, err := in.Token(); err != nil {
		return nil, fmt.Errorf("the request is no list of rows: %w", err)
	} else if begin != json.Delim('[') {
		return nil, errors.New("the request is no list of rows")
	}
	for in.More() {
		rows = append(rows, flat{})
		if err := in.Decode(&rows[len(rows)-1]); err != nil {
			return nil, fmt.Errorf("row %d: %w", len(rows), err)
		}
	}
	if _, err := in.Token(); err != nil {
		return nil, fmt.Errorf("the list does not end after row %d: %w", len(rows), err)
	}
	var long *http.MaxBytesError
	if _, err := in.Token(); errors.As(err, &long) {
		return nil, err
	} else if err != io.EOF {
		return nil, errors.New("the request has more than one list of rows")
	}
	if len(rows) == 0 {
		return nil, errors.New("the request has no rows")
	}
	return rows, nil
}

// predict answers a JSON list of rows.
func (s *server) predict(w http.ResponseWriter, r *http.Request) (status int, err error) {
	m := s.now.Load() // one model for the whole request
	rows, err := read(http.MaxBytesReader(w, r.Body, s.body))
	var long *http.MaxBytesError
	if errors.As(err, &long) {
		return http.StatusRequestEntityTooLarge, fmt.Errorf("a request has at most %d bytes", s.body)
	} else if err != nil {
		return http.StatusBadRequest, err
	}
	x := mat.NewDense(len(rows), m.in, nil)
	for i := range rows {
		if err := m.encode(x.RawRowView(i), &rows[i]); err != nil {
			return http.StatusBadRequest, fmt.Errorf("row %d: %w", i+1, err)
		}
	}
	var a answer
	if m.model.Info().Schema.Target.Classes != nil {
		if a.Labels, err = m.model.Labels(x); err != nil {
			return http.StatusBadRequest, err // of a row: the model has predicted others
		}
	} else {
		var f mat.Dense
		if err := m.model.Predict(&f, x); err != nil {
			return http.StatusBadRequest, err
		}
		a.Predictions = mat.Col(nil, 0, &f)
	}
	text, err := json.Marshal(a) // before the status goes out
	if err != nil {
		return http.StatusInternalServerError, err
	}
	s.rows.Add(int64(len(rows)))
	w.Header().Set("Content-Type", "application/json")
	w.Write(append(text, '\n')) // the caller may be gone, which is no failure of the server
	return http.StatusOK, nil
}
