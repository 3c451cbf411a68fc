// Package dataset reads tables of numbers with a label — CSV, LIBSVM, IDX and
// NPY files, compressed or not, one or several, larger than memory or not — and
// hands them on as streams of rows, an rff.Source.
//
// Read loads files into memory. Open looks at the first bytes of each file and
// settles the format and the columns; OpenReader does so for a stream that can be
// read once. Files.Schema and Files.Notes say what they found. Files.Scan reads
// everything once and returns how many rows there are, the range of each column, and
// the classes or the range of the target. Files.Source is the stream a learner reads;
// Files.Table loads all rows when they fit. A Coding says how labels become
// targets: one column for regression and for two classes (−1, +1), one per class
// otherwise.
//
// A mistake in a file — a ragged row, text where a number should be, NaN, a truncated
// archive — is a *ParseError or *ReadError that names the file, the row and the column; no
// row is skipped or filled in silently. Files.Notes says what was decided: that a column of
// words became an input per word, that dates and times became numbers, and that columns
// which number or name the rows, as pandas and R write them, are left out.
//
// Memory is bounded before it is taken, whatever a file announces: a *ParseError
// says what is too large and which option lifts the limit. Streaming takes less
// than 100 MB; a Table takes what its rows take. Every loop ends with its context.
//
// Letter returns a real data set that is part of the package. A program that imports
// dataset/parquet or dataset/avro also reads Parquet and Arrow files, or Avro files; one that
// imports dataset/zstd files compressed with Zstandard, and one that imports dataset/brotli
// Parquet files whose pages are compressed with Brotli. Each is a module of its own.
package dataset
