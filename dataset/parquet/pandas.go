package parquet

import (
	"bytes"
	"encoding/json"

	"github.com/rffgo/rff/internal/columnar"
)

// keyPandas is that of the metadata in which pandas describes the frame that it wrote.
const keyPandas = "pandas"

// mostIndex are the columns that an index may have. Metadata of a hostile file could list millions.
const mostIndex = 64

// indexNames are the names of the columns of an index. An index that counts the rows is no column,
// and an object in their place.
type indexNames []string

func (x *indexNames) UnmarshalJSON(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	for depth := 0; len(*x) < mostIndex; {
		token, err := d.Token()
		if err != nil {
			return nil // the end: the text is known to be JSON
		}
		switch v := token.(type) {
		case json.Delim:
			if depth--; v == '[' || v == '{' {
				depth += 2
			}
		case string:
			if depth == 1 {
				*x = append(*x, v)
			}
		}
	}
	return nil
}

// markIndex marks the columns that hold the index of a frame, which pandas writes after the
// others. Metadata that cannot be read mark none: the columns are whole without them.
func markIndex(metadata []byte, columns []*columnar.Column) {
	var frame struct {
		Index indexNames `json:"index_columns"`
	}
	if len(metadata) == 0 || json.Unmarshal(metadata, &frame) != nil {
		return
	}
	for _, name := range frame.Index {
		for _, c := range columns {
			c.Index = c.Index || c.Name == name
		}
	}
}
