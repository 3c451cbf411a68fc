// Package sampling chooses the features of a map. It takes a kernel, a dimension, a number
// of columns, a seed and, for some samplers, data, and returns a *rff.Map.
//
// A sampler is a type of this package that implements rff.Sampler; its zero value has the
// defaults. ByName returns one by its name in the table below, with options: "sobol",
// "surrogate:pool=8,weight=importance". Default returns the one to start with.
//
// # Which to use
//
// Error is the spectral error of the kernel matrix divided by that of rff at the
// same number of columns, on 400 rows of letter (d = 16, Gaussian, σ the mean
// distance to the 50th neighbour among 1000; geometric mean over 2d … 256d
// columns, 16 maps each, standard error about 4 %). "Accuracy" is that on eeg with
// 224 columns, mean of 5 (rff compare --data eeg --features 224 --reps 5 --seed 1);
// its standard deviation is about 1, so most differences are noise.
//
//	name       use it                                                kernels           error  accuracy
//	rff        the reference; every kernel, every d                  all of rff        1      85.7
//	rff-phase  odd column counts; comparison with papers             stationary        1.23   85.9
//	orf        the default choice for d > 1                          Gaussian, Matérn  0.60   85.5
//	sorf       d ≥ 128: far faster to evaluate than orf              Gaussian, Matérn  0.64   86.2
//	fastfood   comparison; sorf is faster and better                 Gaussian, Matérn  1.27   86.0
//	halton     few dimensions, many columns (0.65 from 16d on)       stationary        0.74   86.2
//	sobol      many columns (0.55 from 16d on), d to 21201           stationary        0.66   86.0
//	compact    comparison with papers                                of its base       1.73   84.9
//	arccos     rff of the arc-cosine kernel, without a bandwidth     its own           –      71.4
//	linear     rff of the linear kernel: candidates for eerf, lkrf   its own           –      61.9
//	leverage   frequencies that matter at a given ridge              of its base       –      84.8
//	surrogate  the same from one pass over the data                  of its base       –      86.1
//	eerf       few columns: see docs/samplers.md                    of its base       –      85.5
//	lkrf       as eerf, with weights from an optimisation            of its base       –      85.8
//	ses        weights fitted to the kernel on the data              of its base       –      85.7
//	tefm-g     4 × the columns, projected to their dominant          of its base       –      86.2
//	tefm-s     subspace on the data (two sketches)                   of its base       –      86.7
//	metric     lower error at equal columns: see below               stationary        –      –
//	refined    the lowest error; takes the longest                   stationary        –      –
//	nystrom    kernel sections on landmark rows: see below           of a distance     –      –
//
// The samplers from leverage on need data. All of these except ses and tefm choose
// features for a task or a ridge, not for the kernel, so the error of the kernel says
// nothing about them.
//
// A lower kernel error rarely shows in a tuned ridge regression: at 1024 columns
// the differences between rff, orf and sobol in docs/samplers.md are within noise.
// The slope of log error against log F is −½ for rff, orf, sorf and fastfood in
// every dimension (from F = d on for the orthogonal ones); for sobol it measures
// −1.17, −1.05, −0.71, −0.64, −0.66, −0.54 and for halton −1.12, −0.94, −0.73,
// −0.64, −0.51, −0.50 in d = 1, 2, 7, 16, 123, 784 (normal points, Gaussian, σ = √d,
// F = 32 … 1024).
//
// Structured maps (sorf, fastfood) never store their matrix. On one worker of an
// AVX-512 machine (Zen 5, float32, s = 4096, 2000 rows; go test -bench
// Transform32 ./sampling) a feature value costs, in nanoseconds:
//
//	d         16    32    64    128   256   512   784
//	rff       0.22  0.27  0.41  0.70  1.31  2.50  3.98
//	sorf      0.55  0.54  0.54  0.52  0.56  0.63  0.65
//	fastfood  0.70  0.65  0.67  0.64  0.68  0.73  0.75
//
// so sorf is faster than rff from about d = 90 on, and fastfood from a little below 128 on.
// On machines with slower multiply-adds this begins at lower d. 10,000 rows of d = 784 take
// 0.027 s with sorf, 0.032 s with fastfood and 0.16 s with rff. At lower d, orf is both
// faster and better.
//
// # What looking at data is worth
//
// Scores gain most for regression with few columns and a pool of 10 to 20 times as many.
// The errors on cpuact, in % of the standard deviation of the targets, are (mean of 2,
// standard deviation about 2; rff compare --data cpuact --features 64,256 --reps 2 --rows
// 8000)
//
//	columns  rff   leverage  surrogate  eerf  eerf:pool=20  lkrf  ses   tefm-g
//	64       44.9  47.1      42.8       38.6  37.0          42.8  44.8  37.6
//	256      31.3  31.5      30.1       27.9  25.7          28.9  31.5  26.8
//
// On eeg, magic04 and adult with 64 and 256 columns and λ tuned, all samplers but tefm-g
// are within 0.4 points of the accuracy of rff, or within its noise; tefm-g is 0.3 to 0.9
// points better at 64 columns of adult and 256 of eeg. The large gains that Liu et al.
// print come from an effectively smaller λ (see Surrogate.Published). Shahrampour et al.'s
// gain on adult does reproduce at their untuned λ (17.2 % → 16.3 % error at 100 columns).
// A weighting that fits the kernel on pairs of rows (ses) has 0.43 of the kernel error of
// equal weights at 60 columns in d = 3. A projection (tefm-g) of 4l columns has the kernel
// error of 4l columns, which is half that of l.
//
// The samplers take the following time, on one worker for 7488 rows, d = 14 and 3584
// candidate columns in float64 (go test -bench Cost ./sampling). surrogate and lkrf take
// 0.7 to 0.9 of the time to make the candidates' features once. eerf with a pool of 10 on
// a tenth of the rows takes 1.1 to 1.25 of the time to make the features that it returns.
// leverage takes 1.2 of the time of the candidates' Gram matrix and its Cholesky factor,
// which is 80 to 100 times as much as the others; sums=float32 takes six tenths of that
// (1024 to 4096 candidate columns, 10,000 rows). tefm takes about as much as leverage, for
// 896 columns.
//
// # Learning features
//
// metric and refined learn features instead of choosing among drawn ones. Metric finds a
// linear transform of the inputs and the importance of each input; Refined then trains
// the frequencies. Both hold out some of their rows for validation, and return plain
// features if the learned ones are no better. SampleLearned says what was learned.
//
// # Landmarks
//
// The features of nystrom are not cosines but sections k(·, c) of the kernel on rows c of
// the data, the landmarks, in coordinates in which zᵀz is the kernel (rff.Nystrom). The
// kernel is Gaussian, Matérn, or a Laplacian, exp(−Σ|xⱼ−cⱼ|/σⱼ), of ℓ₁ distances. A ridge
// regression on m landmarks costs about as much as one on m random features, and its model
// predicts from m kernel values. At equal columns, with bandwidth and λ tuned for each, its
// error is smaller on most sets of bench/RESULTS-landmarks.md, most of all where the
// kernel's spectrum falls fast. pick=rpcholesky, which avoids rows that other landmarks
// explain already, is the better pick there. metric=diagonal first learns a bandwidth per
// input, by the leave-one-out error of fits on some of the rows. If these bandwidths do better
// on held-out rows, the map has the kernel with them.
//
// Wide bandwidths make landmarks nearly alike. Their kernel matrix then gets a jitter on
// its diagonal, and its inverse enlarges the rounding errors of sums. Together these act as
// a ridge of about 1e-9 per row, and a smaller λ changes nothing. Fits on landmarks are
// always in float64.
//
// # Randomness
//
// All draws come from the source given to Sample, through functions whose bits do not
// depend on the platform. So a seed gives the same map on every instruction set and for any
// number of workers.
package sampling
