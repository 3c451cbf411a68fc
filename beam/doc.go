// Package rffbeam fits and applies models of package krr on Apache Beam: the Gram
// of a fit is a sum, and an engine that spreads rows over machines can sum it.
//
// Plan looks at all rows and decides on scaling, bandwidth and features as the command
// rff gram --plan does, to the same bits. Fit adds the rows of each bundle up, fold by fold,
// in a krr.Gram, merges, chooses λ and solves. SumFn is the CombineFn for Rows from elsewhere.
// Predict writes the predictions of each file. Files come by Beam's own matching and file
// systems; package dataset reads them, so that formats, rules and messages are those of the
// command rff.
//
// A file is the unit of work, or some row groups of a Parquet file that can be read
// anywhere: give other data in several files. The fold of a row depends on its inputs
// alone, so results do not depend on files or on how the engine bundles, but for rounding:
// sums of the same rows in another order differ by at most n·2⁻⁵³ of the sum of absolute values, where n is the number of
// sums that are merged.
//
// A bundle that fails or is run twice leaves nothing behind: sums travel by value,
// and a file of results appears under its name when it is whole. That a bundle is
// tried again is the engine's business: Flink and Dataflow do so, Prism where
// rffbeam pool runs its workers.
package rffbeam
