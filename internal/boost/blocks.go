package boost

import "github.com/rffgo/rff/internal/schedule"

// Sums over rows are those of blocks of blockRows of them, in order, so that they do not depend on workers.
const blockRows = 1 << 14

func blocksOf(rows int) int { return max(1, (rows+blockRows-1)/blockRows) }

// eachBlock calls f, on workers, for every block of so many rows, of which each takes that many multiply-adds.
func eachBlock(workers, rows, each int, f func(block, from, to int)) {
	n := blocksOf(rows)
	schedule.Tasks(schedule.Worthwhile(workers, float64(rows*each), n), n, func(_, b int) { f(b, b*blockRows, min(rows, (b+1)*blockRows)) })
}
