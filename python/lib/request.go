package main

import (
	"github.com/rffgo/rff"
	"github.com/rffgo/rff/krr"
)

// request is what Python asks for. Its settings are those of krr.Settings, krr.AutoSettings and
// rff.Request.
type request struct {
	Op     string
	Handle int64

	Kernel, Sampler, Bandwidth, Scale string
	Features                          int
	Seed                              uint64

	Lambdas       []float64
	Folds         int
	Criterion     string
	Loss          string
	Precision     string
	Uncertainty   string
	Probabilities bool
	HeldOut       bool
	Clip          bool
	Budget        float64 // of Auto, in seconds
	Workers       int
	Provenance    map[string]string

	LeftOut bool // rows of weight 0 are left out, so numbers of rows count the others

	Names, Classes, Categories      []string
	Target, Missing, Unseen, Format string

	Want  string
	Level float64
	Path  string

	arrays []array
	report func(krr.Progress) // of the job
}

// with returns the arrays of a role.
func (r *request) with(role byte) (all []array) {
	for _, a := range r.arrays {
		if a.role == role {
			all = append(all, a)
		}
	}
	return all
}

// one returns the array of a role, or nil.
func (r *request) one(role byte) *array {
	for i := range r.arrays {
		if r.arrays[i].role == role {
			return &r.arrays[i]
		}
	}
	return nil
}

func (r *request) engine() rff.Engine { return rff.Engine{Workers: r.Workers} }

// label gives rows the targets and weights of the request.
func (r *request) label(data rff.Source) (rff.Source, error) {
	y := r.one('y')
	if y == nil {
		return data, nil
	}
	l := &labelled{Source: data, y: y, w: r.one('w'), schema: data.Schema()}
	l.schema.Target = rff.Target{Name: r.Target, Columns: y.cols, Classes: r.Classes}
	if n := len(r.Classes); n > 2 {
		l.schema.Target.Columns = n
	}
	if n := l.schema.Rows; n > 0 && int64(y.rows) != n {
		return nil, &rff.ShapeError{Name: "y", Rows: y.rows, Cols: y.cols, WantRows: int(n), WantCols: y.cols}
	}
	return l, nil
}
