package learn

import (
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/stream"
)

// Effort is how much work a search for a metric is.
type Effort struct {
	Frequencies, Rows int // of the small fits
	Rounds            int
	Roots             []Root
	Polish            int  // further rounds with all the features
	Most              int  // rows that are held in memory to learn on, a Held-th of them to judge by
	Pairs             int  // rows whose distances give the unit of bandwidths
	Quick             bool // of Metric
}

// The two efforts there are.
var (
	Thorough = Effort{256, 6000, 10, []Root{Half, Quarter}, 8, 32000, 1000, false}
	Fast     = Effort{128, 4000, 4, []Root{Half}, 0, 8000, 300, true}
)

// Held is the reciprocal of the share of the rows that is held out.
const Held = 5

// MostFrequencies is the largest number of frequencies F that candidates are compared with: a
// fit holds several matrices of 4F² numbers.
const MostFrequencies = 1024

// To judge the features of a training, they are fitted to at most JudgedRows rows. These
// compare features as well as all rows do, and cost less where there are many features.
const JudgedRows = 32000

// Compared returns the number of frequencies that candidates are compared with on that many
// rows, if frequencies are trained on more rows afterwards.
func Compared(rows int) int { return min(MostFrequencies, max(Thorough.Frequencies, rows/16)) }

// Fits are fits of one size, which choose λ from Lambdas values.
type Fits struct {
	Count                float64
	Rows, Held, Features int
	Lambdas              int
	Precision            *stream.Precision // nil: stream.Float64
}

// Fits returns the fits that a search usually takes; their number varies, since climbs and
// rounds end where they do no better. On four real sets a thorough search took 72 to 114 small
// fits and 26 to 37 with 1024 features, and Fits says 93 and 30. A fast one took 23 to 34 and 6
// to 12, and Fits says 31 and 7.
func (e Effort) Fits(t inside.Task) []Fits {
	const grid = coarsest - finest + 1
	rows := min(e.Most, t.Rows)
	held := rows / Held
	small, rounds := float64(grid+4), float64(e.Rounds)
	full := float64(2)
	if e.Quick {
		const climb = 3.5 // a bandwidth and its neighbours
		small += float64(rounds * climb)
		if t.Features > 4*e.Frequencies { // another bandwidth is asked for
			full *= climb
		}
	} else {
		const climb = 5 // two on each side that are no better
		rounds *= float64(len(e.Roots)) * 2 / 3
		small = 2*grid + float64(rounds*climb)
		full = float64(float64(2+len(e.Roots))*climb) + float64(float64(e.Polish)/4*climb)
	}
	if t.Flags { // M is an average over rows, once more with all the features
		small += float64(rounds * jumpFits)
		full += jumpFits
	}
	lambdas := len((&Problem{}).lambdas())
	return []Fits{
		{small, min(e.Rows, rows-held), held, 2 * e.Frequencies, lambdas, precision},
		{full, rows - held, held, min(t.Features, 2*MostFrequencies), lambdas, precision},
	}
}

// Products returns how many average gradient outer products a search usually decomposes, one of them for
// the importance of the inputs.
func (e Effort) Products() float64 {
	if e.Quick {
		return float64(e.Rounds) + 1
	}
	return float64(float64(e.Rounds*len(e.Roots))*2/3) + float64(float64(e.Polish)/4) + 1
}

// Training returns the fits that the training of frequencies takes: those for its start and the
// pilots, for three checkpoints and for the first coefficients. work is the multiply-adds of
// the training itself, in float32.
func (e Effort) Training(t inside.Task, epochs int) (fits []Fits, work float64) {
	rows := min(e.Most, t.Rows)
	held := rows / Held
	lambdas := len((&Problem{}).lambdas())
	judged, begun := min(JudgedRows, rows-held), min(startRows, rows-held)
	few := pilotFrequencies(t.Features / 2)
	fits = []Fits{
		{5, judged, held, t.Features, lambdas, precision},
		{1, begun, held, t.Features, 1, precision},
		{usualPilots, judged, held, 2 * few, lambdas, precision},
		{usualPilots, begun, held, 2 * few, 1, precision},
	}
	// A step takes XW and XᵀD, forward and back; two products each for the residual, the
	// gradient of the coefficients and D; and a cosine with its sine.
	each := float64(2*t.In + 6*t.Targets + 20)
	trained := float64(epochs*(t.Features/2) + usualPilots*pilotEpochs(epochs)*few)
	return fits, float64(rows-held) * each * trained
}
