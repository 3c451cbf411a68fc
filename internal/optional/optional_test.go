package optional_test

import (
	"slices"
	"testing"

	"github.com/rffgo/rff/internal/optional"
)

// Parts of nil are nil, which says that rows have none. Parts of others are not, even without elements.
func TestParts(t *testing.T) {
	if optional.Range[int](nil, 2, 5) != nil || optional.At[int](nil, []int{3}) != nil {
		t.Error("a part of nil is not nil")
	}
	v := []int{5, 6, 7, 8}
	if r, at := optional.Range(v, 1, 3), optional.At(v, []int{3, 0, 3}); !slices.Equal(r, []int{6, 7}) || !slices.Equal(at, []int{8, 5, 8}) {
		t.Error(r, at)
	}
	if optional.Range(v, 2, 2) == nil || optional.At(v, nil) == nil {
		t.Error("no rows have no elements, but they may have some")
	}
}
