package race

import "math"

// prior is what a kind of step may be expected to gain.
type prior struct {
	gain float64 // of the loss, as a share of it
	// wide is the number of inputs from which on the gain falls in proportion; 0: it does
	// not.
	wide float64
	last bool // it is worth its work only if nothing else is left to try
	// errors is how many standard errors a gain must have to count: 0 where neither way is
	// simpler than the other, so that the least error is the best guess; more than noise where
	// it is the best of several ways to solve one fit.
	errors float64
}

// priors are what steps gain. "Cells" are those of Auto in bench/accuracy/results.jsonl: 12
// sets with three seeds each. More inputs than wide leave learned features less to gain: they
// are in no cell of ujiindoorloc (520 inputs) and mnist (784), and in all of letter (16), eeg
// (14) and covtype (54).
var priors = map[string]prior{
	"search":    {gain: 1, errors: noise},              // without it there is nothing
	"bandwidth": {gain: 0.02},                          // a guess: half an octave near the best
	"exact":     {gain: 0.08},                          // squared test errors of the published table (bench/accuracy): cpu_act 10 %, space_ga 15 %, analcatdata_supreme 17 %, bank8FM 4 %, cpu_small 0; errors of spambase 28 %
	"scales":    {gain: 0.05},                          // a guess; squared errors of 1,024 landmarks with the Laplacian kernel: cpu_act 11 %, kin8nm 21 %, cpu_small 0
	"landmarks": {gain: 0.10, errors: noise},           // a guess; what is not learned ends 14 of 36 cells
	"metric":    {gain: 0.12, wide: 40, errors: noise}, // it ends 6 of 36 cells, and begins others
	"refined":   {gain: 0.30, wide: 40, errors: noise}, // it ends 16 of 36 cells, 3 to 71 % below as many plain features
	"joined":    {gain: 0.03},                          // held out: wrong labels of eeg 19 %, squares of kin8nm 2.6 % and 0.9 % once more
	"features":  {gain: 0.03, errors: noise},           // a guess: twice as many; 13 of 36 cells end with more than they began with
	"rule":      {gain: 0.05, last: true, errors: 2},   // kddcup99 40 %, letter 28 %, covtype 2 %; others nothing: bench/RESULTS-auto.md
}

const (
	// rate is the multiply-adds a second in float64 that estimated seconds rest on: half
	// of what two AVX-512 cores of 3 GHz can do, and as much as two AVX2 cores can.
	rate = 5e10
	// leastGain is what a step is to gain at least to be tried.
	leastGain = 0.002
	// doubt is by what a kind of step gains less after each that was not kept.
	doubt = 0.3
	// noise is how many standard errors a difference must have to count.
	noise = 1

	// gridLow and gridHigh are the ends of the first grid of bandwidths, 2^{k/2} medians,
	// and gridMost how far it may be widened on both sides. Real data have their best from
	// a sixteenth of the median to four medians; fast waves and planes do not.
	gridLow, gridHigh, gridMost, gridMore = -8, 4, 24, 4
	// firstShare is the share of the budget that the first rung of the search may take,
	// rungShare that of every further rung of up to rungRows, and lateShare that of larger
	// ones: what is left for learning gains more there. On covtype 0.12 for all rungs left
	// 1,024 trained features to pay for, and 0.05 twice as many.
	firstShare, rungShare, lateShare, rungRows = 0.2, 0.12, 0.05, 10000
	// aroundFew and aroundMany are the steps of λ on each side of the best before that a
	// trial has: one of the same kind, and one of another.
	aroundFew, aroundMany = 2, 3

	// startFeatures is where the number of features begins to be doubled, for as long as
	// mostTrials of a fit take less than startShare of the budget, up to mostFeatures, and
	// up to a feature for every rowsPerFeature rows.
	startFeatures, mostFeatures, rowsPerFeature, mostTrials, startShare = 256, 1024, 4, 6, 0.4
	// enoughRows per feature leave little overfitting: then more features are taken even
	// if the held-out difference is within noise.
	enoughRows = 32

	// mostExact is the different rows that an exact fit may have, of up to mostAlike times as
	// many (analcatdata_supreme has 515 of 2,592); exactShare the share of what is left
	// that its choice of kernel and bandwidth on some of them may take, exactFinals how many
	// go on to all rows, and exactLow and exactHigh the ends of its grid of bandwidths.
	mostExact, mostAlike, exactShare, exactFinals, exactLow, exactHigh = 10000, 8, 0.2, 3, -2, 8
	// landmarkShare is the share of what is left that landmarks may take.
	landmarkShare = 0.6
	// learnShare is that of a learner that leaves room for more features.
	learnShare = 0.6
	// manyLearned is the rows that a thorough search for a metric learns on, fewLearned
	// those of a fast one, and learnBytes bounds the rows that frequencies are trained on.
	manyLearned, fewLearned, learnBytes = 32000, 8000, 64 << 20
	// refineEpochs of the training of frequencies: three times the default of the
	// sampler, since the search before it costs more than they do. Few rows have more
	// epochs, of refineSteps in all: on car-evaluation (two steps an epoch) 60 epochs have
	// 0.3 to 1.4 % wrong labels, and 300 none.
	refineEpochs, refineSteps = 60, 1000

	// leastRows are worth a search.
	leastRows = 8
	// enoughHeldOut is how many held-out rows are enough; with fewer rows several folds
	// are held out in turn, and again with other folds up to mostRepeats times. The error
	// of an error of mostHeldOut rows is 0.3 %: more say little more.
	enoughHeldOut, mostHeldOut, mostRepeats = 3000, 20000, 4
	// A gain on fewer than fewHeldOut rows of fewer splits than the best was tried on is to
	// hold on further splits, or to be as many as alone standard errors if the budget does
	// not pay for these.
	fewHeldOut, alone = 500, 4
)

// foldsOf returns how many folds rows have: few rows leave most of them to fit to.
func foldsOf(rows int) int {
	switch {
	case rows <= 20:
		return max(rows, 1)
	case rows < 250:
		return 10
	}
	return 5
}

// gainOf returns what a step of a kind may be expected to gain here, after some of the
// kind that were not kept.
func (r *Race) gainOf(kind string) float64 {
	p := priors[kind]
	gain := float64(p.gain * math.Pow(doubt, float64(r.fruitless[kind])))
	if p.wide > 0 {
		gain *= min(1, p.wide/float64(r.in))
	}
	return gain
}

// The first search takes the first of these numbers of rows whose trials are a fifth of the
// budget, at a feature for eight rows between leastFirst and mostFirst, and doubles both. The
// exact regression is tried on the first of exactRungs that it can pay for.
var (
	firstRungs = []int{4000, 2000, 1000, 500, 250}
	exactRungs = []int{2000, 1500, 1000, 700, 500}
)

const (
	leastFirst = 64
	mostFirst  = 256
	// leastValid rows are held out where there are so many: the standard error of a share of
	// wrong labels is then √(¼/1000), 1.6 points, at most.
	leastValid = 1000
	// Of the trials on a rung one in keptOf go on, leastKept or more, and on the last rung but
	// one mostLast at most. Those whose loss is farBehind times the least stay behind.
	keptOf    = 4
	leastKept = 3
	mostLast  = 6
	farBehind = 1.2
	// halfAgain is what features grow by where twice as many are too dear: about √2.
	halfAgain = 1.42
	// A map has leastFeatures at least, and kernel sections are tried on sectionRows at least.
	leastFeatures = 32
	sectionRows   = 4000
	// cosine is what a cosine takes, in multiply-adds.
	cosine = 20
)
