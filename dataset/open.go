package dataset

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/rffgo/rff/internal/columnar"
	"github.com/rffgo/rff/internal/look"
	"github.com/rffgo/rff/internal/message"
)

// openReader opens one file for reading rows. once says that the file has one pass only.
func openReader(ctx context.Context, st storage, name string, o *Options) (r reader, once bool, err error) {
	in, once, err := openInput(ctx, st, name)
	if err != nil {
		return nil, false, err
	}
	if r, err = newReader(ctx, st, in, o); err != nil {
		in.close()
		if !once {
			err = damage(ctx, st, name, err)
		}
		return nil, false, err
	}
	return r, once, nil
}

// mostChecked bounds the unpacked bytes that damage reads.
const mostChecked = 1 << 26

// damage returns a better error than err if a file is damaged. Damaged compressed data give
// rows, perhaps wrong ones, before their checksum shows the damage. So damage reads the file
// again, and returns the error of the compressed data if there is one, and err otherwise.
func damage(ctx context.Context, st storage, name string, err error) error {
	bad, ok := err.(*ParseError)
	if !ok {
		return err
	}
	in, _, failed := openInput(ctx, st, name)
	if failed != nil {
		return err
	}
	defer in.close()
	if in.unpacked {
		if _, failed = io.CopyN(io.Discard, in, mostChecked); failed != nil && failed != io.EOF {
			return readError(name, max(0, bad.Row-1), failed)
		}
	}
	return err
}

func newReader(ctx context.Context, st storage, in *input, o *Options) (r reader, err error) {
	format := o.Format
	if format == "" {
		format = in.detect()
	}
	in.format = format
	noText := func(r rune) bool { return r < ' ' && r != '\t' && r != '\r' }
	if head, _ := in.Peek(sniffBytes); (format == formatLIBSVM || format == formatCSV) && bytes.ContainsFunc(head, noText) && bytes.IndexByte(head, '\n') < 0 {
		return nil, &ParseError{Place: Place{File: in.name}, Need: "is neither text nor a binary format known here (IDX, NPY)"}
	}
	switch format {
	case formatLIBSVM:
		r, err = newLIBSVM(in, o)
	case formatParquet, formatArrow, formatAvro:
		r, err = newColumnar(in, format, o)
	case formatNPY:
		r, err = newNPY(in, o)
	case formatIDX:
		if o.LabelFile == "" && o.Task != Unlabelled && o.Label == "" {
			c := *o
			if c.LabelFile = labelFile(in.name); c.LabelFile == "" || !st.exists(c.LabelFile) {
				c.LabelFile, c.Task = "", Unlabelled
				images, err := newIDX(in, &c)
				if err != nil { // about its header
					return nil, err
				}
				need := "is an IDX file of inputs; its labels are in another file: name it (LabelFile)"
				if images.width == 1 {
					need = "is an IDX file of one value per row, as of labels: name the files of inputs alone, such as *images-idx3*, which find their labels beside them"
				}
				return nil, &ParseError{Place: Place{File: in.name}, Need: need}
			}
			o = &c
		}
		r, err = newIDX(in, o)
	case formatCSV:
		r, err = newCSV(in, o)
	default:
		panic("dataset: a format that has no reader")
	}
	if err != nil || o.LabelFile == "" {
		return r, err
	}
	return withLabels(ctx, st, r, o)
}

// withLabels puts the labels of o.LabelFile beside the rows of r.
func withLabels(ctx context.Context, st storage, r reader, o *Options) (reader, error) {
	l, _, err := openReader(ctx, st, o.LabelFile, &Options{Task: Unlabelled, Header: o.Header, oneColumn: true, ours: ours{Bare: o.ours.Bare}})
	if err != nil {
		return nil, err
	}
	if w, _, _ := l.shape(); w != 1 {
		l.Close()
		return nil, &ParseError{Place: Place{File: o.LabelFile}, Need: fmt.Sprintf("has %d columns: labels are one per row", w)}
	}
	var c *columns
	switch l := l.(type) {
	case *csvReader:
		c = &l.columns
	case *columnReader:
		c = &l.columns
	}
	if c != nil { // labels are read as such: as texts in CSV, even if they are numbers
		i := slices.Index(c.role, 0)
		c.role[i] = roleLabel
		if c.names != nil {
			c.labelName = c.names[i]
		}
	}
	return &pair{reader: r, labels: l, file: o.LabelFile}, nil
}

// pair reads inputs from one file and labels from another.
type pair struct {
	reader
	labels reader
	file   string
}

// inputsOf returns the reader of the inputs of r.
func inputsOf(r reader) reader {
	if both, ok := r.(*pair); ok {
		return both.reader
	}
	return r
}

func (p *pair) shape() (int, []string, string) {
	width, inputs, _ := p.reader.shape()
	_, _, label := p.labels.shape()
	return width, inputs, label
}

func (p *pair) remarks() []string { return slices.Concat(p.reader.remarks(), p.labels.remarks()) }

func (p *pair) next(x []float64) (look.Label, error) {
	_, err := p.reader.next(x)
	if err != nil && err != io.EOF {
		return look.Label{}, err
	}
	var v [1]float64
	label, lerr := p.labels.next(v[:])
	switch {
	case err == nil && lerr == io.EOF:
		need := fmt.Sprintf("has %s, the inputs have more rows: it belongs to another set", message.Count(p.labels.last().row, "label"))
		if _, _, name := p.labels.shape(); name != "" {
			need += fmt.Sprintf(", or its first line %q is a label: write a name above it", name)
		}
		return look.Label{}, &ParseError{Place: Place{File: p.file}, Need: need}
	case err == io.EOF && lerr == nil:
		return look.Label{}, &ParseError{Place: Place{File: p.file}, Need: fmt.Sprintf("has more labels than the inputs, which have %s: it belongs to another set", message.Count(p.last().row, "row"))}
	case err == nil && lerr != nil:
		return look.Label{}, lerr
	case err != nil:
		return look.Label{}, io.EOF
	}
	if label.Text == nil && !label.Number {
		label = look.Label{Value: v[0], Number: true}
	}
	return label, nil
}

func (p *pair) Close() error {
	p.labels.Close()
	return p.reader.Close()
}

// detect returns the format that the first bytes have.
func (in *input) detect() string {
	head, _ := in.Peek(sniffBytes)
	if f, ok := columnar.Of(head); ok {
		return f.Name
	}
	if bytes.HasPrefix(head, []byte(npyMagic)) {
		return formatNPY
	}
	if len(head) >= 4 && head[0] == 0 && head[1] == 0 && head[3] >= 1 && head[3] <= 4 {
		if _, known := idxType(head[2]); known {
			return formatIDX
		}
	}
	if looksLIBSVM(head) {
		return formatLIBSVM
	}
	return formatCSV
}
