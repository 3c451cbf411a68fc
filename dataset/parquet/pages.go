package parquet

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/thrift/lib/go/thrift"
)

// The library reads a chunk until it has seen as many values as the metadata
// announce, and past the end of the chunk it goes on with the bytes that its buffer
// still holds, for ever. So what stands here walks through the headers of the pages
// first: they must lie in the chunk, and have its values. Numbers of fields are those
// of parquet.thrift's PageHeader.

var errPages = errors.New("its pages are not what its metadata announce")

const mostHeader = 4 << 20 // bytes of a page's header, as the library has it

// pageHeader is what matters here of the header of a page.
type pageHeader struct {
	kind   int32
	size   int32 // compressed
	values int32 // or rows, of a page of version 2
	length int   // of the header
}

// checkPages checks the pages of a column in a row group. Old writers left the header
// of the dictionary out of the length, up to 100 bytes (PARQUET-816).
func checkPages(at io.ReaderAt, size int64, c *metadata.ColumnChunkMetaData, old bool) error {
	start, length := c.DataPageOffset(), c.TotalCompressedSize()
	if c.HasDictionaryPage() && c.DictionaryPageOffset() > 0 {
		start = min(start, c.DictionaryPageOffset())
	}
	if start < 0 || length < 0 || start > size || length > size-start {
		return errPages
	}
	end := start + length
	if old {
		end = min(end+100, size)
	}
	for values := int64(0); values < c.NumValues(); {
		h, err := readHeader(at, start, end)
		if err != nil {
			return err
		}
		start += int64(h.length)
		if h.size < 0 || h.values < 0 || int64(h.size) > end-start {
			return errPages
		}
		start += int64(h.size)
		switch h.kind {
		case 0, 3: // data, of version 1 or 2
			if values += int64(h.values); values > c.NumValues() {
				return errPages
			}
		case 2: // dictionary
		default:
			return errPages
		}
	}
	return nil
}

// readHeader reads the header of the page that begins at start.
func readHeader(at io.ReaderAt, start, end int64) (pageHeader, error) {
	for size := int64(512); ; size *= 4 {
		b := make([]byte, min(size, end-start))
		if _, err := at.ReadAt(b, start); err != nil {
			return pageHeader{}, err
		}
		h, err := parseHeader(b)
		switch {
		case err == nil:
			return h, nil
		case size >= min(end-start, mostHeader):
			return pageHeader{}, errPages
		}
	}
}

func parseHeader(b []byte) (h pageHeader, err error) {
	memory := &thrift.TMemoryBuffer{Buffer: bytes.NewBuffer(b)}
	p := thrift.NewTCompactProtocolConf(memory, new(thrift.TConfiguration))
	err = eachField(p, func(id int16) (bool, error) {
		switch id {
		case 1:
			return true, readInt(p, &h.kind)
		case 3:
			return true, readInt(p, &h.size)
		case 5: // DataPageHeader: num_values
			return true, eachField(p, func(id int16) (bool, error) { return id == 1, only(id == 1, p, &h.values) })
		case 8: // DataPageHeaderV2: num_rows
			return true, eachField(p, func(id int16) (bool, error) { return id == 3, only(id == 3, p, &h.values) })
		}
		return false, nil
	})
	h.length = len(b) - int(memory.RemainingBytes())
	return h, err
}

// eachField reads a struct. read reports whether it has read the field.
func eachField(p thrift.TProtocol, read func(id int16) (bool, error)) error {
	ctx := context.Background()
	if _, err := p.ReadStructBegin(ctx); err != nil {
		return err
	}
	for {
		_, kind, id, err := p.ReadFieldBegin(ctx)
		if err != nil {
			return err
		}
		if kind == thrift.STOP {
			return p.ReadStructEnd(ctx)
		}
		done, err := read(id)
		if err == nil && !done {
			err = p.Skip(ctx, kind)
		}
		if err != nil {
			return err
		}
	}
}

func only(wanted bool, p thrift.TProtocol, to *int32) error {
	if !wanted {
		return nil
	}
	return readInt(p, to)
}

func readInt(p thrift.TProtocol, to *int32) (err error) {
	*to, err = p.ReadI32(context.Background())
	return err
}
