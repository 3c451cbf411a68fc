package race

import "github.com/rffgo/rff/internal/boost"

// prior says what gain to expect of a kind of step.
type prior struct {
	gain float64 // of the loss, as a share of it
	// wide is the number of inputs from which on the gain falls in proportion; 0: it does
	// not.
	wide float64
	// many is the number of rows from which on the gain rises in proportion; 0: it does not.
	many float64
	// most is the number of inputs beyond which it is not tried. 0: it always is.
	most int
	last int // above 0: it is worth its work only if nothing of a lower number is left to try
	// errors is how many standard errors a gain must have to count: 0 where neither way is
	// simpler than the other, so that the least error is the best guess; more than noise where
	// it is the best of several ways to solve one fit.
	errors float64
}

// priors say what gain to expect of each kind of step. "Cells" are those of Auto in
// bench/accuracy/results.jsonl: 12 sets with three seeds each. With more inputs than wide,
// learned features have less to gain: they are in no cell of ujiindoorloc (520 inputs) and
// mnist (784), and in all of letter (16), eeg (14) and covtype (54).
var priors = map[string]prior{
	"search":    {gain: 1, errors: noise},               // without it there is nothing
	"bandwidth": {gain: 0.02},                           // a guess: half an octave near the best
	"exact":     {gain: 0.08},                           // squared test errors of the published table (bench/accuracy): cpu_act 10 %, space_ga 15 %, analcatdata_supreme 17 %, bank8FM 4 %, cpu_small 0; errors of spambase 28 %
	"scales":    {gain: 0.05, most: 500},                // a guess; squared errors of 1,024 landmarks with the Laplacian kernel: cpu_act 11 %, kin8nm 21 %, cpu_small 0; it gains on splice (287 inputs), and on mnist (784) takes what "rule" needs
	"landmarks": {gain: 0.10, errors: noise},            // a guess; features that are not learned end 14 of 36 cells
	"metric":    {gain: 0.12, wide: 40, errors: noise},  // it ends 6 of 36 cells, and begins others
	"refined":   {gain: 0.30, wide: 40, errors: noise},  // it ends 16 of 36 cells, 3 to 71 % below as many plain features
	"trees":     {gain: 0.05, many: 1e4, errors: noise}, // squared held-out errors: cpu_small 9 %, cpuact 10 %, eeg none; with .12 they come before "refined", and on kin8nm, with 10 s, take what that needs; of many rows they gain more: labels of covtype, with 1 s, 25 % more than "refined"
	"joined":    {gain: 0.02},                           // held out: wrong labels of letter 41 % and 24 % once more, of eeg 27 % and 8 %, squares of kin8nm 1 % and nothing, of bank32nh nothing; with 3 % it takes on phoneme, with 10 s, what "exact" needs
	"features":  {gain: 0.03, errors: noise},            // a guess: twice as many; 13 of 36 cells end with more than they began with
	"mean":      {gain: 0.03, last: 2},                  // squared validation errors of space_ga 4 %, cpu_small 5 %; labels of mfeat-factors 43 %, waveform-5000 4 %, splice 0
	"trainings": {gain: 0.02, last: 3},                  // test errors of the published table: eeg-eye-state 11 %, pendigits and mv 3 to 4 %, kin8nm 1 %, spambase and segment none
	"rule":      {gain: 0.05, last: 1, errors: 2},       // kddcup99 40 %, letter 28 %, covtype 2 %, nothing on other sets: bench/RESULTS-auto.md
}

const (
	// rate is the number of multiply-adds in float64 that count as an estimated second. Products of matrices run
	// at 5.2e10 a second on two AVX-512 cores of 2.1 GHz, and at up to 9.6e10 on two of another kind.
	rate = 6e10
	// A step must be expected to gain leastGain, as a share of the loss, to be tried. A bandwidth that
	// gained less is the last one of its direction: far above all distances each next one may gain
	// less than the one before, for as long as there is budget.
	leastGain = 0.002
	// doubt multiplies the expected gain of a kind of step after each one that was not kept.
	doubt = 0.3
	// noise is how many standard errors a difference must have to count.
	noise = 1

	// gridLow and gridHigh are the ends of the first grid of bandwidths, 2^{k/2} medians,
	// and gridMost how far it may be widened on both sides. On real data the best bandwidth
	// lies between a sixteenth of the median and four medians; on fast waves and planes it does
	// not.
	gridLow, gridHigh, gridMost, gridMore = -8, 4, 24, 4
	// rungShare is the share of the budget that each rung of the search of up to rungRows may take, and
	// lateShare that of larger ones, where learning gains more from the budget. On covtype, 0.12 for all
	// rungs left enough budget for 1,024 trained features, and 0.05 enough for twice as many. With 10 s, 0.08
	// has .982 of the error of 0.12 on validation rows of 16 sets, and 0.05 has .986. Where the first rung may
	// take 0.2, sets with 3 s have 1.007 of the error on validation rows, and kddcup99 has five times as many wrong.
	rungShare, lateShare, rungRows = 0.08, 0.05, 10000
	// A trial tries λ on each side of the best λ before: aroundOne step if only its bandwidth or
	// its rows are others, aroundFew if it is of the same kind as the trial before, and
	// aroundMany if it is of another.
	aroundOne, aroundFew, aroundMany = 1, 2, 3

	// A mean has up to mostMean of up to mostMembers trials, whose scores take up to meanBytes, and
	// weights of one over meanRounds. Its reserve is meanShare of the budget.
	mostMean, mostMembers, meanBytes, meanRounds, meanShare = 4, 12, 64 << 20, 20, 0.08

	// Further trainings of the members go on up to a mean of mostModels, and take up to meanBytes.
	// The reserve is that of reservedModels trainings, or trainingsShare of the budget if that is less, where
	// trained frequencies are the best.
	// Draws of trained frequencies are joined for as long as each gains enoughJoined of the loss.
	mostModels, reservedModels, trainingsShare, enoughJoined = 8, 5, 0.4, 0.1

	// Scaled rows of up to keptBytes are kept for later trials, and draws of up to drawBytes for
	// the other trials of a step.
	keptBytes, drawBytes = 256 << 20, 64 << 20

	// startFeatures is where the number of features begins to be doubled, for as long as
	// mostTrials of a fit take less than startShare of the budget, up to mostFeatures, and
	// up to a feature for every rowsPerFeature rows.
	startFeatures, mostFeatures, rowsPerFeature, mostTrials, startShare = 256, 1024, 4, 6, 0.4
	// The fit may take fitShare of the budget; otherwise there are fewer features.
	fitShare = 0.5
	// There are up to featuresPerRow features for each row: a pair for the cosine and the sine of
	// as many frequencies as rows.
	featuresPerRow = 2
	// enoughRows per feature leave little overfitting: then more features are taken even
	// if the held-out difference is within noise.
	enoughRows = 32

	// An exact fit may have mostExact different rows, among up to mostAlike times as many rows
	// (analcatdata_supreme has 515 different ones of 2,592). Choosing its kernel and bandwidth
	// on some of the rows may take exactShare of the rest of the budget, exactFinals kernels go on to
	// all rows, in both ways if that takes exactShare more, and exactLow and exactHigh are the ends of
	// its grid of bandwidths.
	mostExact, mostAlike, exactShare, exactFinals, exactLow, exactHigh = 10000, 8, 0.25, 3, -2, 8
	// Its grid has every exactStep-th bandwidth, a factor of two, since the error of sections on
	// all rows depends little on the bandwidth. The best of exactScaled kernels are tried with
	// the other scalings, at the bandwidths exactAround that of the kernel.
	exactStep, exactScaled = 2, 2
	// If there are someAlike times as many rows as different ones, the exact fit goes by sums, in
	// which equal rows cost a product each and not an equation each.
	someAlike = 1.25
	// Bandwidths per input for each kernel of it, and those of the last candidates on all splits, are
	// learned if either takes less than ownShare of what is left.
	ownShare = 0.3
	// landmarkShare is the share of the rest of the budget that landmarks may take, and
	// pickShare that of picking twice as many: on mnist 1,024 picked landmarks have 3.90 % wrong labels and uniform
	// ones 3.88, 2,048 have 2.78 and 2.96, for 1.6 times the processor seconds of the whole fit.
	landmarkShare, pickShare = 0.6, 0.2
	// Sections are compared on one of sectionPart rows with half of the features, which cost an
	// eighth of a trial. The best sectionFinals kernels and bandwidths go on to all rows, with
	// sectionWays of the best.
	sectionPart, sectionFinals = 4, 2
	// axesSections is the number of sections that bandwidths per input are learned with: for more of
	// them sampling.Nystrom learns the same.
	axesSections = 1000
	// Trees may take treeShare of the rest of the budget. Few trees, which choose a depth, may take fewShare if
	// leastFew of them do not take more.
	// 125 of 4,000 rows choose one with 1.006 of the squared error of the better one (40 sets). They have 1.05
	// of that of 500 in the median, and less than 1.5 but on mv, so that trees are far behind the best if few
	// have farFew times its loss. Up to levelFew times, more of them gain about levelGain, alone or in a mean:
	// cpu_small 9 %, cpuact 10 %, magic04 7 %. Otherwise they gain little for their work: on mnist they took
	// 7 s of 30, which features and a rule need.
	// There are leastTrees of many, or half of these if the budget does not pay for them: on covtype, with 1 s, these have
	// 12.5 % wrong labels, and trained frequencies 16.7.
	treeShare, fewShare, farFew, levelFew, levelGain = 0.3, 0.1, 2, 1.1, 0.1
	leastTrees, leastFew, mostFew                    = 60, 30, 125
	// More trees have moreTrees of the loss of few in the median of 27 sets, and moreRows of it for each doubling of the
	// rows (8 sets whose few had a third or a fourth of them).
	moreTrees, moreRows = 0.95, 0.93
	// Where more than enoughTrees of the trees are of use, such as are deeper by that much come next, down to
	// the deepest: squared errors of trees of depths 6 and 10 are 1.15 and 1.00 on cod-rna, 1.45 and 1.06 on
	// covtype, 1.13 and 1.00 on eeg-eye-state; where fewer trees are of use, depth 6 does as well. So trees
	// that may become deeper are given up where they have farShallow times the loss of the best.
	enoughTrees, deeper, deepest, farShallow = 0.9, 2, 10, 1.5
	// The tables of one sum of trees may take that much memory, and as much of a file.
	tableBytes = 16 << 20
	// Few trees of the third depth are tried where a leaf has that many rows on average.
	enoughInLeaf = 12
	// learnShare is the share for a learner that leaves room for more features.
	learnShare = 0.6
	// manyLearned is the number of rows that a thorough search for a metric learns on, and
	// fewLearned that of a fast search. learnBytes bounds the rows that frequencies are trained
	// on.
	manyLearned, fewLearned, learnBytes = 32000, 8000, 64 << 20
	// Frequencies are trained for refineEpochs, three times the default of the sampler, since
	// the search before it costs more than these epochs. With few rows there are more epochs,
	// of refineSteps steps in all: on car-evaluation (two steps an epoch) 60 epochs have 0.3 to
	// 1.4 % wrong labels, and 300 none.
	refineEpochs, refineSteps = 60, 1000
	// Further draws are trained furtherEpochs times as long, since the mean of several kernels may
	// fit closer than one: on validation rows of eeg-eye-state it has 1.34 % wrong labels in place of
	// 1.84, where twice the epochs for a single draw are no better. Four times is no better.
	furtherEpochs = 2

	// A search needs at least leastRows rows.
	leastRows = 8
	// enoughHeldOut is how many held-out rows are enough; with fewer rows several folds
	// are held out in turn, and again with other folds up to mostRepeats times. The standard
	// error of a share of wrong labels among mostHeldOut rows is 0.3 %, so further rows say
	// little more.
	enoughHeldOut, mostHeldOut, mostRepeats = 3000, 20000, 4
	// The number of features is chosen before rows are divided, for trials with one of
	// usualFolds folds held out, of usualHeldOut rows.
	usualFolds, usualHeldOut = 5, 5000
	// A gain between −1 and undecided times the standard errors that it must have is measured
	// on further splits, if these take up to decideShare of the rest of the budget.
	undecided, decideShare = 2, 0.5
	// If a gain was measured on fewer than fewHeldOut rows, and on fewer splits than the best,
	// it must hold on further splits. If the budget does not pay for these, it must be at least
	// alone standard errors.
	fewHeldOut, alone = 500, 4
)

// foldsOf returns the number of folds. Few rows have more folds, so that most of the rows are
// fitted.
func foldsOf(rows int) int {
	switch {
	case rows <= 20:
		return max(rows, 1)
	case rows < 250:
		return 10
	}
	return usualFolds
}

var (
	// The first search begins with the first of firstRungs rows whose trials take rungShare of
	// the budget or less, and doubles both rows and features. The exact regression is tried on
	// the first of exactRungs that it can pay for.
	firstRungs = []int{4000, 2000, 1000, 500, 250}
	exactRungs = []int{2000, 1500, 1000, 700, 500}
	// Bandwidths that are tried, in steps of √2 from that of the best before: exactAround with
	// other scalings; sectionAround of kernel sections, which do best with larger bandwidths
	// than as many random features.
	exactAround   = []int{-2, 0, 2}
	sectionAround = []int{-2, 0, 2, 4, 6}
	// sectionWays are other bandwidths and rows for the best sections. More sections ask for a
	// narrower kernel, and rows apart from each other for a still narrower one.
	sectionWays = []sectionWay{{-1, uniformRows}, {0, pickedRows}, {-2, pickedRows}}
	// mostTrees bounds the trees of a sum. treeShapes are the shapes that few trees are tried of, shallowShapes those where
	// rows are few, and someShapes where the budget does not pay for all.
	mostTrees     = 1000
	treeShapes    = []boost.Sampler{{Depth: 3, Part: true}, {Depth: 6, Part: true}, {Depth: 8, Part: true}, {Depth: 8, Own: true, Part: true}}
	shallowShapes = treeShapes[:2]
	someShapes    = []boost.Sampler{treeShapes[1], treeShapes[3]}
	// epochShares divide the epochs of trained frequencies, the first that the budget pays for.
	epochShares = []int{1, 2, 4}
	// ruleLambdas are the λ of solutions under a rule, as multiples of the best λ before. If
	// some rows count more, fewer rows decide, so a larger λ may be better.
	ruleLambdas = []float64{1, 10}
)

const (
	// The first rung has a feature for rowsPerFirst rows, between leastFirst and mostFirst. If
	// no rung is small enough, as many trials as take firstMost of the budget are done, those
	// about the bandwidth gridLikely first.
	rowsPerFirst          = 8
	leastFirst, mostFirst = 64, 256
	firstMost, gridLikely = 2 * rungShare, -1
	// A step that would add less than one of leastAdded features to those before goes on to all
	// features. Where there are as many as the fit has, rows grow by onlyRows in place of two: the best
	// few of the candidates before are as good on four times the rows.
	leastAdded, onlyRows = 3, 4
	// At least leastValid rows are held out, if there are as many: the standard error of a
	// share of wrong labels is then √(¼/1000), 1.6 points, at most. Trials on a part of the rows
	// hold out one row for heldPart that they fit, if that is more.
	leastValid, heldPart = 1000, 2
	// One trial in keptOf of a rung goes on, or leastKept if that is more, but at most mostLast
	// go on to the last rung. Where the loss of a trial is above farBehind times the least, no
	// bandwidths beyond the grid are tried.
	keptOf    = 4
	leastKept = 3
	mostLast  = 6
	farBehind = 1.2
	// If a share of the budget does not pay for leastOn trials of the next rung, up to as many
	// may take onShare of what is left beside the fit. More features ask for narrower kernels, so
	// up to narrowest narrower bandwidths of the first narrowed trials go on with them.
	leastOn, onShare, narrowed, narrowest = 2, 0.5, 2, 2
	// Where twice the features cost too much, their number grows by the factor halfAgain, about
	// √2.
	halfAgain = 1.42
	// A map has at least leastFeatures, and kernel sections are tried on at least sectionRows
	// rows.
	leastFeatures = 32
	sectionRows   = 4000
	// cosine is the work of a cosine in multiply-adds.
	cosine = 20
)

// What scalings of inputs do.
const (
	// Clipped inputs are confined to what all but outer of the rows have at either end. They are
	// tried if some column reaches beyond that by more than heavyTail of that range.
	outer, heavyTail = 0.005, 0.25
	// rankKnots and logKnots are the most points of a column that is replaced by its ranks or its
	// logarithm, which is then exact to a hundredth of its range.
	rankKnots, logKnots = 100, 100
	// extreme is the least mean rank of a value, as a share of the rows; 1 − extreme is the
	// largest. Its normal quantile is −3.3.
	extreme = 0.0005
	// Logarithms are worth a try if the largest value of a column is above wideSpan times the
	// median of its values above 0. Sizes in bytes and amounts of money are such columns. A
	// column needs at least logLevels different values to be replaced by its logarithm.
	wideSpan, logLevels = 1000, 20
)
