// Package parquet lets package dataset read Parquet files and Arrow IPC files
// (Feather, version 2), and writes tables as Parquet. Import it for reading:
//
//	import _ "github.com/rffgo/rff/dataset/parquet"
//
// Columns go by their names. Numbers of every width, booleans (0 and 1) and
// decimals become float64; text and dictionaries of text are labels, groups or
// categories; dates and times are inputs as rff.Time has them. Durations, times of
// INT96 and nested columns are refused by name when they are used. Null and NaN are
// missing values (rff.Missing).
//
// The package reads both formats itself, columns without nesting only, and takes
// decoders of Zstandard and Snappy from elsewhere, and of Brotli in programs that import
// dataset/brotli. The libraries that there are cost much more to compile: with an empty
// cache, on a loaded machine of two cores, Apache's Arrow for Go with its Thrift and JSON
// libraries 77 s of processor time, parquet-go with net/http and Protocol Buffers 38 s,
// this package 1 s. Arrow's library took memory that damaged files only announced and
// panicked over some of them. Fits of a million rows of 20 columns take less processor
// time with this reader from Parquet (0.58 against 0.77 s, and 0.84 against 1.04 s with
// Zstandard), and as much from Arrow files.
//
// # Memory
//
// A reader takes at most 256 MiB, whatever the file says. The row groups of a Parquet
// file are read as streams, up to four at a time, as long as their pages fit into
// 96 MiB together. Pages that do not are unpacked one column after the other, for
// batches of more rows. A file that would take more is refused with what to change,
// from its metadata, before its rows are read. The record batches of an Arrow file are
// read as streams and may have any size.
package parquet
