package look

// Bounds of a sample.
const (
	MostRows = 10_000
	// Numbers of all inputs: 40 MiB, which 10,000 rows of 524 inputs fill.
	MostValues = 5 << 20
)

// Most returns the different rows in a sample of rows of so many inputs.
func Most(width int) int { return max(1, min(MostRows, MostValues/max(width, 1))) }
