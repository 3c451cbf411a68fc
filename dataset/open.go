package dataset

import (
	"fmt"
	"io"
	"slices"
)

// openReader opens one file for reading rows.
func openReader(name string, o *Options) (reader, error) {
	in, err := openInput(name)
	if err != nil {
		return nil, err
	}
	r, err := newReader(in, o)
	if err != nil {
		in.close()
		return nil, err
	}
	return r, nil
}

func newReader(in *input, o *Options) (reader, error) {
	format := o.Format
	if format == Auto {
		format = in.detect()
	}
	switch format {
	case LIBSVM:
		return withLabels(newLIBSVM(in, o))(o)
	case NPY:
		return withLabels(newNPY(in, o))(o)
	case IDX:
		if o.LabelFile == "" && !o.NoLabel {
			c := *o
			if c.LabelFile = idxLabels(in.name); c.LabelFile == "" {
				return nil, &ParseError{File: in.name, Need: "is an IDX file of inputs; its labels are in another file: name it (--labels)"}
			}
			o = &c
		}
		return withLabels(newIDX(in, o))(o)
	}
	return withLabels(newCSV(in, o))(o)
}

// withLabels puts the labels of o.LabelFile beside the rows of r.
func withLabels[R reader](r R, err error) func(*Options) (reader, error) {
	return func(o *Options) (reader, error) {
		if err != nil {
			return nil, err
		}
		if o.LabelFile == "" || o.NoLabel {
			return r, nil
		}
		l, err := openReader(o.LabelFile, &Options{NoLabel: true, Header: o.Header})
		if err != nil {
			return nil, err
		}
		if w := l.width(); w != 1 {
			l.Close()
			return nil, &ParseError{File: o.LabelFile, Need: fmt.Sprintf("has %d columns: labels are one per row", w)}
		}
		if c, ok := l.(*csvReader); ok { // as text, whatever it is
			c.role[slices.Index(c.role, 0)] = roleLabel
			if c.names != nil {
				c.label = c.names[0]
			}
		}
		return &pair{reader: r, labels: l, file: o.LabelFile}, nil
	}
}

// pair reads inputs from one file and labels from another.
type pair struct {
	reader
	labels reader
	file   string
}

func (p *pair) columns() ([]string, string) {
	inputs, _ := p.reader.columns()
	_, label := p.labels.columns()
	return inputs, label
}

func (p *pair) next(x []float64) (Label, error) {
	_, err := p.reader.next(x)
	if err != nil && err != io.EOF {
		return Label{}, err
	}
	var v [1]float64
	label, lerr := p.labels.next(v[:])
	rows, _ := p.reader.position()
	switch {
	case err == nil && lerr == io.EOF:
		n, _ := p.labels.position()
		return Label{}, &ParseError{File: p.file, Need: fmt.Sprintf("has %d labels, the inputs have more rows: it belongs to another set", n)}
	case err == io.EOF && lerr == nil:
		return Label{}, &ParseError{File: p.file, Need: fmt.Sprintf("has more labels than the %d rows of the inputs: it belongs to another set", rows)}
	case err == nil && lerr != nil:
		return Label{}, lerr
	case err != nil:
		return Label{}, io.EOF
	}
	if label.Text == nil {
		label = Label{Value: v[0], Number: true}
	}
	return label, nil
}

func (p *pair) Close() error {
	p.labels.Close()
	return p.reader.Close()
}
