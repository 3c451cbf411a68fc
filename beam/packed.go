package rffbeam

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/rffgo/rff/krr"
)

// A plan is a file of sums without rows: s²/2 zeros, behind a map of d·s numbers. It
// travels packed, for it is in the description of a job several times over, which engines
// hand about whole and bound.

// pack packs a plan, unless it is packed.
func pack(plan []byte) ([]byte, error) {
	if isPacked(plan) {
		return plan, nil
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err == nil {
		_, err = z.Write(plan)
	}
	if err == nil {
		err = z.Close()
	}
	return b.Bytes(), err
}

// isPacked reports whether data are packed. The header of a gzip file takes ten bytes; in
// a file of sums, '{' follows on the first eight, which are a length.
func isPacked(data []byte) bool {
	return len(data) > 10 && data[0] == 0x1f && data[1] == 0x8b && data[8] != '{'
}

// unpacked returns a plan as it stands in a file of sums.
func unpacked(data []byte) (io.Reader, error) {
	if !isPacked(data) {
		return bytes.NewReader(data), nil
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("rffbeam: a plan cannot be unpacked: %w", err)
	}
	return z, nil
}

// unpack returns all of it.
func unpack(data []byte) ([]byte, error) {
	r, err := unpacked(data)
	if err == nil {
		data, err = io.ReadAll(r)
	}
	return data, err
}

// planOf reads a plan; a worker reads each once.
func planOf(data []byte) (*krr.Gram, error) {
	if len(data) == 0 {
		return nil, errors.New("rffbeam: there is no plan")
	}
	key := sha256.Sum256(data)
	if p, ok := plans.Load(key); ok {
		return p.(*krr.Gram), nil
	}
	r, err := unpacked(data)
	if err != nil {
		return nil, err
	}
	p, err := krr.ReadGram(r) // which takes no more memory than a map and its sums do
	if err != nil {
		return nil, err
	}
	plans.Store(key, p)
	return p, nil
}

var plans sync.Map
