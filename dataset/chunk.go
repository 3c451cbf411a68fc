package dataset

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"sync"

	"github.com/rffgo/rff/internal/look"
	"github.com/rffgo/rff/internal/schedule"
)

// Text is parsed on several workers. One goroutine reads and inflates the file and cuts it
// into chunks of whole records. Workers parse these, and the reader hands their rows on in
// the order of the file. Rows, errors and their places are the same as if the file were read
// line by line.

const (
	mostParsers = 8       // the goroutine that inflates and cuts is no faster than 8 parsers
	chunkValues = 1 << 18 // numbers in the rows of a chunk: 2 MiB
	// Files with longer lines are read line by line: several such lines in memory at a time
	// are too much.
	chunkLine = 8 << 20
)

// textReader is a reader of text that is parsed record by record.
type textReader interface {
	reader
	// parse makes a row of a record, which it may change. text has the place of the record.
	// A comment, or a row that is left out, gives no row and no error.
	parse(record []byte, x []float64) (label look.Label, there bool, err error)
	// text returns the lines, with the place of the last record.
	text() *lines
	// twin returns a reader that parses like this one, on another goroutine.
	twin() textReader
}

// parsedRow is a row, or the error that stands in its place.
type parsedRow struct {
	spot                // that of a reader after it; its row counts from the beginning of the chunk
	label    look.Label // its text is chunk.labels[from:to]
	from, to int
	err      error
}

// chunk is a piece of text, and the rows that a worker makes of it.
type chunk struct {
	// If whole is set, text has whole lines without any quote. Otherwise it has records one
	// after the other, and ends says where each of them ends.
	text       []byte
	ends       []int
	places     []spot // line and size of each record
	line, size int64  // lines and bytes before the text
	err        error  // to be reported after the rows
	whole      bool   // the text is lines
	rows       []parsedRow
	x          []float64 // inputs of the rows
	labels     []byte
	at         int           // index of the next row to hand on
	count      int64         // rows that were parsed
	drops      int64         // rows that were left out
	panicked   any           // of the worker
	done       chan struct{} // has an element when the rows are there
}

// chunks reads a text in chunks.
type chunks struct {
	*lines
	separators string // of fields that may be quoted; "": quotes mean nothing
	width      int
	ctx        context.Context
	cancel     context.CancelFunc
	running    sync.WaitGroup
	free       chan *chunk
	work       chan *chunk
	ordered    chan *chunk

	now  *chunk // its rows are handed on
	base int64  // rows before it
	gone int64  // rows left out before it
	// If place is set, next does not copy the inputs of a row, and puts them into inputs.
	place  bool
	inputs []float64
}

// newChunks begins to read, on that many workers, the part of the text that r has not read
// yet. 0 is one worker per processor. It returns nil if reading line by line is better.
func newChunks(r textReader, separators string, workers int) *chunks {
	l := r.text()
	workers = min(schedule.Workers(workers), mostParsers)
	if workers < 2 || l.limit > chunkLine {
		return nil
	}
	if !l.live {
		if _, err := l.Peek(bufferSize); err != nil {
			return nil // the rest is less than a chunk, or ends in an error
		}
	}
	width, _, _ := r.shape()
	n := workers + 3 // besides those being parsed, one is read, one waits and one is handed on
	own := *l        // the lines of r keep the place of the row that was handed on
	c := &chunks{lines: &own, separators: separators, width: max(width, 1), base: l.row, gone: l.drops,
		free: make(chan *chunk, n), work: make(chan *chunk, n), ordered: make(chan *chunk, n)}
	c.ctx, c.cancel = context.WithCancel(*l.ctx)
	*l.ctx = c.ctx
	for range n {
		c.free <- &chunk{done: make(chan struct{}, 1)}
	}
	c.running.Add(workers + 1)
	go c.cut()
	for range workers {
		go c.parse(r.twin())
	}
	return c
}

// cut reads the text to its end, to an error or until the context is done.
func (c *chunks) cut() {
	defer c.running.Done()
	defer close(c.ordered)
	defer close(c.work)
	for more := true; more; {
		var b *chunk
		select {
		case <-c.ctx.Done():
			return
		case b = <-c.free:
		}
		more = c.fill(b)
		c.work <- b
		c.ordered <- b
	}
}

// fill puts the next records into b, and reports whether more may follow.
func (c *chunks) fill(b *chunk) (more bool) {
	*b = chunk{text: b.text[:0], ends: b.ends[:0], places: b.places[:0], rows: b.rows[:0], x: b.x, labels: b.labels[:0],
		done: b.done, line: c.line, size: c.size}
	if cap(b.text) > 4*bufferSize {
		b.text = nil // a long line made it large
	}
	n := bufferSize
	if c.live { // take only what has come: more may come late
		c.Peek(1)
		n = c.Buffered()
	}
	window, err := c.Peek(n)
	if err != io.EOF {
		window = window[:bytes.LastIndexByte(window, '\n')+1]
	}
	if quote := bytes.IndexByte(window, '"'); quote >= 0 && c.separators != "" {
		window = window[:bytes.LastIndexByte(window[:quote], '\n')+1]
		err = nil
	}
	if len(window) == 0 {
		return c.records(b)
	}
	rows := bytes.Count(window, []byte{'\n'})
	if most := c.mostRows(); rows > most {
		rows, err = most, nil
		end := 0
		for range rows {
			end += bytes.IndexByte(window[end:], '\n') + 1
		}
		window = window[:end]
	}
	b.text, b.whole = append(b.text, window...), true
	c.Discard(len(window))
	c.line += int64(rows)
	if window[len(window)-1] != '\n' {
		c.line++
	}
	c.size += int64(len(window))
	return err != io.EOF
}

func (c *chunks) mostRows() int { return max(1, chunkValues/c.width) }

// records is fill for text in which quotes or long lines decide where records end.
func (c *chunks) records(b *chunk) (more bool) {
	for c.row = 0; len(b.text) < bufferSize && int(c.row) < c.mostRows() && (c.row == 0 || !c.wouldWait()); c.row++ {
		record, err := c.record(c.separators)
		if err == io.EOF {
			return false
		}
		if err != nil {
			b.err = err
			bad, ok := err.(*ParseError)
			return ok && bad.Row > 0
		}
		b.text = append(b.text, record...)
		b.ends, b.places = append(b.ends, len(b.text)), append(b.places, spot{line: c.line, size: c.size})
	}
	return true
}

// wouldWait reports whether the end of the next line may come late.
func (c *chunks) wouldWait() bool {
	if !c.live {
		return false
	}
	there, _ := c.Peek(c.Buffered())
	return bytes.IndexByte(there, '\n') < 0
}

// parse parses chunks until there are no more.
func (c *chunks) parse(r textReader) {
	defer c.running.Done()
	for b := range c.work {
		if c.ctx.Err() == nil {
			b.parse(r, c.width)
		}
		b.done <- struct{}{}
	}
}

// parse makes the rows of a chunk.
func (b *chunk) parse(r textReader, width int) {
	defer func() {
		b.panicked = recover()
	}()
	l := r.text()
	l.row, l.line, l.size = 0, b.line, b.size
	before := l.drops
	defer func() { b.count, b.drops = l.row, l.drops-before }()
	most := len(b.ends)
	if b.whole {
		most = bytes.Count(b.text, []byte{'\n'}) + 1
	}
	if cap(b.x) < most*width {
		b.x = make([]float64, most*width)
	}
	b.x = b.x[:cap(b.x)]
	for k, from := 0, 0; k < len(b.ends); k++ {
		l.line, l.size = b.places[k].line, b.places[k].size
		b.add(r, b.text[from:b.ends[k]:b.ends[k]], width)
		from = b.ends[k]
	}
	for rest := b.text; b.whole && len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n') + 1
		end = cmp.Or(end, len(rest))
		line, err := l.took(rest[:end])
		if err != nil {
			b.err = err
			return
		}
		rest = rest[end:]
		if len(bytes.TrimSpace(line)) > 0 {
			b.add(r, line, width)
		}
	}
}

// add adds the row of a record.
func (b *chunk) add(r textReader, record []byte, width int) {
	k := len(b.rows) * width
	label, there, err := r.parse(record, b.x[k:k+width:k+width])
	if !there && err == nil {
		return
	}
	p := parsedRow{spot: *r.last(), err: err, label: label, from: len(b.labels)}
	if len(label.Text) > 0 {
		b.labels = append(b.labels, label.Text...)
		p.label.Text, p.to = nil, len(b.labels)
	}
	b.rows = append(b.rows, p)
}

// next hands on the next row, in the order of the file, to r.
func (c *chunks) next(r textReader, x []float64) (look.Label, error) {
	for {
		if c.now == nil {
			b, ok := <-c.ordered
			if !ok {
				if c.ctx.Err() != nil {
					return look.Label{}, context.Cause(c.ctx)
				}
				return look.Label{}, io.EOF
			}
			<-b.done
			if b.panicked != nil {
				panic(b.panicked)
			}
			c.now = b
		}
		b := c.now
		if b.at < len(b.rows) {
			p := &b.rows[b.at]
			if row := b.x[b.at*c.width:]; c.place {
				c.inputs = row[:len(x):len(x)]
			} else {
				copy(x, row)
			}
			b.at++
			p.row += c.base
			p.drops = c.gone
			*r.last() = p.spot
			if p.to > 0 {
				p.label.Text = b.labels[p.from:p.to:p.to]
			}
			return p.label, placedAfter(p.err, c.base)
		}
		err := placedAfter(b.err, c.base)
		c.base += b.count
		c.gone += b.drops
		c.now = nil
		*r.last() = spot{row: c.base, line: b.line, size: b.size, weight: 1, drops: c.gone} // with the rows left out after the last one
		c.free <- b
		if err != nil {
			return look.Label{}, err
		}
	}
}

// placedAfter returns an error of a chunk, and adds the number of rows before the chunk to
// the row that the error names.
func placedAfter(err error, rows int64) error {
	switch e := err.(type) {
	case *ParseError:
		if e.Row > 0 {
			e.Row += rows
		}
	case *ReadError:
		e.Row += rows
	}
	return err
}

// inPlace asks r not to copy the inputs of rows, if r can do so. The function that it returns
// gives the inputs of the last row: where r has them, or x.
func inPlace(r reader) func(x []float64) []float64 {
	t, ok := r.(textReader)
	if !ok {
		return func(x []float64) []float64 { return x }
	}
	return func(x []float64) []float64 {
		c := t.text().chunks
		if c == nil {
			return x
		}
		if !c.place { // the first row was a copy
			c.place = true
			return x
		}
		return c.inputs
	}
}
