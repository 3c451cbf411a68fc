package parquet

import (
	"strings"
	"testing"

	"github.com/rffgo/rff/internal/columnar"
)

// Only texts of the list itself name columns. What cannot be read names none.
func TestIndexNames(t *testing.T) {
	for metadata, want := range map[string]string{
		`{"index_columns": ["b", "c"], "columns": [{"name": "a"}]}`:                           "b c",
		`{"columns": [], "index_columns": [{"kind": "range", "name": "a", "x": ["c"]}, "b"]}`: "b",
		`{"index_columns": [` + strings.Repeat(`"d", `, mostIndex) + `"a"]}`:                  "",
		`{"index_columns": ["b"`: "", `{"index_columns": 3}`: "", `[]`: "", `{"index_columns": [null, 1, ""]}`: "", ``: "",
	} {
		columns := []*columnar.Column{{Name: "a"}, {Name: "b"}, {Name: "c"}}
		markIndex([]byte(metadata), columns)
		var got []string
		for _, c := range columns {
			if c.Index {
				got = append(got, c.Name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%.60s: %q, want %q", metadata, got, want)
		}
	}
}
