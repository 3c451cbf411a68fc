// Package parquet lets package dataset read Parquet files and Arrow IPC files
// (Feather, version 2), and writes tables as Parquet. Import it for reading:
//
//	import _ "github.com/rffgo/rff/dataset/parquet"
//
// It is a package of its own so that programs that do not read such files need
// not compile the reader, Apache's Arrow for Go.
//
// Columns go by their names. Numbers of every width, booleans (0 and 1) and
// decimals become float64; text and dictionaries of text are labels, groups or
// categories. Dates, times and nested columns are refused by name when they are
// used. Null is a missing value (dataset.Missing); NaN is not, and is refused.
//
// Row groups are read as streams, up to four at a time, in batches of at most
// 8192 rows. Memory is bounded by the pages of those row groups, none of which may
// take more than 1 GiB.
package parquet
