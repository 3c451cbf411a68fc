package classes

import (
	"cmp"
	"math"
	"slices"

	"github.com/rffgo/rff/internal/numeral"
)

// Most is the number of different labels above which they are surely not classes.
const Most = 4096

// MostIntegers is the number of different integers above which they are no classes, unless somebody
// says so.
const MostIntegers = 32

// Sort puts the names of classes in their order: numbers by value if all are
// finite numbers, equal ones and all others by bytes.
func Sort(names []string) {
	value := make(map[string]float64, len(names))
	for _, n := range names {
		v, ok := numeral.Parse([]byte(n))
		if !ok || math.IsInf(v, 0) || math.IsNaN(v) {
			slices.Sort(names)
			return
		}
		value[n] = v
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(value[a], value[b]), cmp.Compare(a, b)) })
}
