// Package parquet lets package dataset read Parquet files and Arrow IPC files
// (Feather, version 2), and writes tables as Parquet. Import it for reading:
//
//	import _ "github.com/rffgo/rff/dataset/parquet"
//
// Columns have names. Numbers of every width, booleans (0 and 1) and decimals become float64.
// Text and dictionaries of text are labels, groups or categories, or numbers if their cells are, as
// in CSV. Labels, groups and categories have booleans as the words False and True, dates and times
// as words such as 2024-01-31, and integers of 64 bits and decimals with all digits. Dates and
// times become inputs as rff.Time describes them. If a duration, a time of INT96 or a nested column
// is used, it is refused by name. Null and NaN are missing values (rff.Missing).
//
// The package reads both formats itself, but only columns that are not nested. It uses
// decoders of Zstandard and Snappy from other modules and, in programs that import
// dataset/brotli, one of Brotli. Existing libraries cost much more to compile. With an empty
// cache, on a loaded machine of two cores, Apache's Arrow for Go with its Thrift and JSON
// libraries takes 77 s of processor time, parquet-go with net/http and Protocol Buffers 38 s,
// and this package 1 s. Arrow's library also took memory that damaged files only announced,
// and panicked over some of them. Fits of a million rows of 20 columns take less processor
// time with this reader from Parquet (0.58 against 0.77 s, and 0.84 against 1.04 s with
// Zstandard), and as much from Arrow files.
//
// # Memory
//
// A reader takes at most 256 MiB, whatever the file says. The row groups of a Parquet file are
// read as streams, up to four at a time, as long as their pages fit into 96 MiB together. If
// the pages of one row group do not, they are unpacked one column after the other, for batches
// of more rows. A file that would take still more is refused before its rows are read, and the
// error says what to change. The record batches of an Arrow file are read as streams and may
// have any size.
package parquet
