package parquet

import (
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// A value is missing where a dictionary has none for it, too.
func TestNullInDictionary(t *testing.T) {
	words := array.NewStringBuilder(memory.DefaultAllocator)
	words.Append("a")
	words.AppendNull()
	words.Append("c")
	index := array.NewInt8Builder(memory.DefaultAllocator)
	index.AppendValues([]int8{2, 1, 0, 0}, []bool{true, true, false, true})
	v := valuesOf(array.NewDictionaryArray(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, index.NewArray(), words.NewArray()))
	if !slices.Equal(v.Null, []bool{false, true, true, false}) || v.Text[0] != "c" || v.Text[3] != "a" {
		t.Errorf("%+v", v)
	}
}
