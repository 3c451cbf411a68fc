package look

// Bounds of a sample.
const (
	MostRows = 10_000
	// MostValues bounds the numbers of all inputs: 40 MiB, as many as 10,000 rows of 524 inputs
	// have.
	MostValues = 5 << 20
)

// Most returns how many different rows a sample may have if rows have width inputs.
func Most(width int) int { return max(1, min(MostRows, MostValues/max(width, 1))) }
