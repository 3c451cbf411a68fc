package rffbeam

import (
	"bytes"
	"encoding/gob"
)

// Elements of the package have coders of their own, whose output is bytes to engines: of
// other structs Beam makes rows of a schema, of which Flink 1.19 misreads those with an
// empty list. Engines find coders by name, and the instances of a generic function have
// but one.

func encodeGob[T any](v T) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(v)
	return b.Bytes(), err
}

func decodeGob[T any](b []byte) (v T, err error) {
	err = gob.NewDecoder(bytes.NewReader(b)).Decode(&v)
	return v, err
}
