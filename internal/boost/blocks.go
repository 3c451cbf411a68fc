package boost

import "github.com/rffgo/rff/internal/schedule"

const (
	// Sums over rows are those of blocks of blockRows of them, in order, so that they do not depend on workers.
	blockRows = 1 << 14
	// Where no sum of floats depends on how rows are divided, chunkRows of them are a task: of 50,000 rows, blocks would
	// leave one of two workers without a task for nearly half of the time.
	chunkRows = 1 << 12
)

// partsOf returns the number of parts of up to size rows.
func partsOf(rows, size int) int { return max(1, (rows+size-1)/size) }

// eachPart calls f, on workers, for every part of so many rows, of which each takes that many multiply-adds.
func eachPart(size, workers, rows, each int, f func(worker, part, from, to int)) {
	n := partsOf(rows, size)
	schedule.Tasks(schedule.Worthwhile(workers, float64(rows*each), n), n, func(w, p int) { f(w, p, p*size, min(rows, (p+1)*size)) })
}
