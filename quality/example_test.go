package quality_test

import (
	"fmt"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/quality"
)

func ExampleHoeffdingFeatures() {
	n, err := quality.HoeffdingFeatures(rff.CosSin, 0.1, 0.01)
	fmt.Println(n, err)
	// Output: 2120 <nil>
}
