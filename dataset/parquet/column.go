package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"github.com/rffgo/rff/dataset/internal/decimals"
	"github.com/rffgo/rff/internal/columnar"
)

// column reads a column of a row group.
type column struct {
	*leaf
	chunk
	survey
	at      io.ReaderAt
	end     int64   // pages lie before it
	scratch *[]byte // for packed pages; the columns of a row group share it
	buffer  *[]byte // for unpacked pages; columns whose pages are released share it

	header     header // of the page under way
	next       int64  // where the page after it begins
	page       *page  // nil: none, or it was released
	taken      int    // values of the page under way that were taken, including missing ones
	begun      bool   // there is a page under way
	dictionary *header
	numbers    []float64 // of the dictionary
	texts      []string
	levels     []int32
	indices    []int32
}

// read reads the next values into v, whose memory it uses. It returns the bytes of text.
func (c *column) read(rows int, v *columnar.Values) (size int, err error) {
	v.Null, v.Finite = nil, false
	text := c.isText()
	if text {
		v.Numbers, v.Text = nil, make([]string, rows)
	} else {
		v.Numbers, v.Text = columnar.Sized(v.Numbers, rows), nil
	}
	for at := 0; at < rows; {
		if c.page == nil || c.page.left == 0 {
			if err := c.open(); err != nil {
				return size, err
			}
			continue
		}
		n := min(rows-at, c.page.left)
		present, err := c.present(n)
		if err != nil {
			return size, err
		}
		if text {
			more, err := c.text(v.Text[at:][:present])
			if err != nil {
				return size, err
			}
			if size += more; size > mostText {
				return size, errText
			}
		} else if err := c.number(v.Numbers[at:][:present]); err != nil {
			return size, err
		}
		if present < n {
			if v.Null == nil {
				v.Null = make([]bool, rows)
			}
			if text {
				spread(v.Text[at:][:n], present, c.levels, v.Null[at:])
			} else {
				spread(v.Numbers[at:][:n], present, c.levels, v.Null[at:])
			}
		}
		c.page.left -= n
		c.taken += n
		at += n
	}
	v.Finite = !text && v.Null == nil && columnar.AllFinite(v.Numbers) // checked here, where several goroutines work
	return size, nil
}

// present reads the levels of the next n values and returns how many are not missing.
func (c *column) present(n int) (int, error) {
	if c.page.levels == nil {
		return n, nil
	}
	c.levels = columnar.Sized(c.levels, n)
	if err := c.page.levels.read(c.levels); err != nil {
		return 0, err
	}
	present := 0
	for _, l := range c.levels {
		present += int(l)
	}
	return present, nil
}

// spread moves the present values, which come first in out, to their places among the missing
// ones. It begins with the last one.
func spread[T any](out []T, present int, levels []int32, null []bool) {
	var zero T
	for i := len(out) - 1; i >= present; i-- { // at i = present − 1 no earlier value is missing
		if levels[i] == 0 {
			out[i], null[i] = zero, true
			continue
		}
		present--
		out[i] = out[present]
	}
}

// text reads text, and returns the bytes that it takes.
func (c *column) text(out []string) (int, error) {
	if c.page.indices != nil {
		return 0, lookup(c, out, c.texts)
	}
	data, ends, err := c.page.values.next(len(out))
	if err != nil {
		return 0, err
	}
	if c.digits {
		return c.exact(out, data, ends)
	}
	all, from := string(data), 0
	for i, end := range ends {
		out[i], from = all[from:end], end
	}
	return len(all), nil
}

func (c *column) number(out []float64) error {
	if c.page.indices != nil {
		return lookup(c, out, c.numbers)
	}
	data, ends, err := c.page.values.next(len(out))
	if err != nil {
		return err
	}
	return c.convert(out, data, ends)
}

// lookup takes values of the dictionary.
func lookup[T any](c *column, out, words []T) error {
	c.indices = columnar.Sized(c.indices, len(out))
	if err := c.page.indices.read(c.indices); err != nil {
		return err
	}
	for i, k := range c.indices {
		if uint(k) >= uint(len(words)) {
			return errValues
		}
		out[i] = words[k]
	}
	return nil
}

// convert turns values into float64.
func (l *leaf) convert(out []float64, data []byte, ends []int) error {
	if l.logical != decimal {
		l.fixed().Convert(out, data, l.width())
		return nil
	}
	d := decimals.New(l.scale)
	if l.physical != int32s && l.physical != int64s {
		return l.decimals(len(out), data, ends, func(i int, b []byte) { out[i] = d.Bytes(b) })
	}
	for i := range out {
		if l.physical == int32s {
			out[i] = d.Int64(int64(int32(binary.LittleEndian.Uint32(data[4*i:]))))
		} else {
			out[i] = d.Int64(int64(binary.LittleEndian.Uint64(data[8*i:])))
		}
	}
	return nil
}

// decimals yields the bytes of n decimals.
func (l *leaf) decimals(n int, data []byte, ends []int, yield func(i int, b []byte)) error {
	from, width := 0, l.width()
	for i := range n {
		end := from + width
		if ends != nil {
			end = ends[i]
		}
		if end-from > decimals.MostDigits {
			return errValues
		}
		yield(i, data[from:end])
		from = end
	}
	return nil
}

// exact turns integers of 64 bits and decimals into text, and returns the bytes that it takes.
func (l *leaf) exact(out []string, data []byte, ends []int) (size int, err error) {
	if l.logical != decimal {
		copy(out, l.fixed().Digits(len(out), data, 8))
		return 20 * len(out), nil
	}
	d := decimals.New(l.scale)
	err = l.decimals(len(out), data, ends, func(i int, b []byte) {
		if l.physical == int32s || l.physical == int64s {
			b = bytes.Clone(b)
			slices.Reverse(b)
		}
		out[i] = d.Text(b)
		size += len(out[i])
	})
	return size, err
}

// fixed says how numbers that are no decimals are stored.
func (l *leaf) fixed() columnar.Fixed {
	integer := "i"
	if l.logical == unsigned {
		integer = "u"
	}
	switch l.physical {
	case boolean:
		return "u1"
	case int32s:
		return columnar.Fixed(integer + "4")
	case int64s:
		if l.units.Nanos {
			return "n8"
		}
		return columnar.Fixed(integer + "8")
	case floats:
		return "f4"
	case doubles:
		return "f8"
	}
	return "f2"
}

// open begins the next page, or the one that was released.
func (c *column) open() error {
	if c.begun && c.page == nil {
		return c.reopen()
	}
	for {
		if c.values == 0 {
			return errors.New("ends too soon")
		}
		h, err := readHeader(c.at, c.next, c.end)
		if err != nil {
			return err
		}
		c.next = h.end()
		switch h.kind {
		case pageDictionary:
			c.dictionary = &h
			if err := c.look(); err != nil {
				return err
			}
		case pageData, pageData2:
			if int64(h.values) > c.values {
				return errPages
			}
			c.values -= int64(h.values)
			c.header, c.begun, c.taken = h, true, 0
			return c.load()
		}
	}
}

// load unpacks the page under way.
func (c *column) load() error {
	*c.buffer = columnar.Sized(*c.buffer, c.unpacked) // for all pages
	b, err := c.unpack(c.at, &c.header, c.scratch, c.buffer)
	if err != nil {
		return err
	}
	c.page, err = c.leaf.open(&c.header, b, c.dictionary != nil)
	return err
}

// look reads the dictionary.
func (c *column) look() error {
	var page []byte
	b, err := c.unpack(c.at, c.dictionary, c.scratch, &page)
	if err != nil {
		return err
	}
	values, err := c.encoding(encodingPlain, b)
	if err != nil {
		return err
	}
	n := c.dictionary.values
	if !c.isText() {
		c.numbers = make([]float64, n)
		for part := range slices.Chunk(c.numbers, 1024) {
			data, ends, err := values.next(len(part))
			if err == nil {
				err = c.convert(part, data, ends)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	c.texts = make([]string, n)
	if c.digits {
		data, ends, err := values.next(n)
		if err == nil {
			_, err = c.exact(c.texts, data, ends)
		}
		return err
	}
	all := string(b)
	for i := range c.texts {
		length := uint64(0)
		if len(all) >= 4 {
			length = uint64(binary.LittleEndian.Uint32(b[len(b)-len(all):]))
		}
		if len(all) < 4 || length > uint64(len(all)-4) {
			return errValues
		}
		c.texts[i], all = all[4:][:length], all[4+length:]
	}
	return nil
}

// release gives back the memory of the page under way. The next read unpacks it again.
func (c *column) release() {
	c.page, c.numbers, c.texts = nil, nil, nil
}

func (c *column) reopen() error {
	if c.dictionary != nil {
		if err := c.look(); err != nil {
			return err
		}
	}
	if err := c.load(); err != nil {
		return err
	}
	for left := c.taken; left > 0; {
		n := min(left, columnar.MostRows)
		present, err := c.present(n)
		if err == nil && c.page.indices != nil {
			c.indices = columnar.Sized(c.indices, present)
			err = c.page.indices.read(c.indices)
		} else if err == nil {
			_, _, err = c.page.values.next(present)
		}
		if err != nil {
			return err
		}
		c.page.left -= n
		left -= n
	}
	return nil
}
