// Package dataset reads tables of numbers, words and times with a label, from CSV, LIBSVM,
// IDX and NPY files, and hands their rows on as a stream, an rff.Source. A data set may have
// several files, may be compressed and may be larger than memory.
//
// Read loads files into memory. Open looks at the first bytes of each file and
// settles the format and the columns; OpenReader does so for a stream that can be
// read once. Files.Schema and Files.Notes say what they found. Files.Scan reads
// everything once and returns the number of rows, a sample of them, and the classes.
// Files.Source is the stream that a learner reads; Files.Table loads all rows into memory. A
// Coding says how labels become targets: one column for regression and for two classes (−1,
// +1), one per class otherwise.
//
// A mistake in a file — a ragged row, text where a number should be, NaN, a truncated
// archive — is a *ParseError or *ReadError that names the file, the row and the column; no
// row is skipped or filled in silently. Files.Notes says what was decided: for example that a
// column of words became an input per word, that dates and times became numbers, or that
// columns which number or name the rows, as pandas and R write them, are left out.
//
// Memory is bounded before it is taken, whatever a file announces. A *ParseError says what is
// too large and which option lifts the limit. Streaming takes less than 100 MB; a Table takes
// as much as its rows. Every loop ends when its context is done.
//
// Letter returns a real data set that is part of the package.
//
// Four packages, each a module of its own, add formats to programs that import them.
// dataset/parquet reads Parquet and Arrow files, and dataset/avro reads Avro files.
// dataset/zstd reads files compressed with Zstandard, and dataset/brotli reads Parquet files
// whose pages are compressed with Brotli.
package dataset
