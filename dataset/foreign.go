package dataset

import (
	"bytes"
	"strings"
)

// foreignFormats lists formats that people try and this package does not read, and how their
// files begin.
var foreignFormats = []struct{ magic, what string }{
	{"\x89PNG\r\n\x1a\n", "is a PNG image: " + asNPY},
	{"\xff\xd8\xff", "is a JPEG image: " + asNPY},
	{"GIF8", "is a GIF image: " + asNPY},
	{"PAR1", "is a Parquet file: import github.com/rffgo/rff/dataset/parquet to read it, or " + asCSV},
	{"\x89HDF\r\n\x1a\n", "is an HDF5 file: save the array with numpy.save, or a table as CSV"},
	{"CDF\x01", "is a NetCDF file: save the array with numpy.save, or a table as CSV"},
	{"CDF\x02", "is a NetCDF file: save the array with numpy.save, or a table as CSV"},
	{"MATLAB 5.0", "is a MATLAB file: save the matrix with writematrix, as CSV"},
	{"ARROW1", "is an Arrow (Feather) file: import github.com/rffgo/rff/dataset/parquet to read it, or " + asCSV},
	{"FEA1", "is a Feather file: " + asCSV},
	{"ORC", "is an ORC file: " + asCSV},
	{"Obj\x01", "is an Avro file: import github.com/rffgo/rff/dataset/avro to read it, or " + asCSV},
	{"SQLite format 3\x00", "is an SQLite database: export the table as CSV"},
	{"RDX", "is an R data file: save the table with write.csv"},
	{"X\n\x00\x00\x00", "is an R data file (RDS): save the table with write.csv"},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "is an old Excel or Office file: export the table as CSV"},
	{"r\x02\x01\x00", "is a Stata file: export the table as CSV"},
	{"<stata_dta>", "is a Stata file: export the table as CSV"},
	{"$FL2@(#)", "is an SPSS file: export the table as CSV"},
	{"%PDF-", "is a PDF document: it holds no table to read"},
	{"7z\xbc\xaf\x27\x1c", "is a 7-Zip archive: extract the file first"},
	{"Rar!\x1a", "is a RAR archive: extract the file first"},
	{"\xff\xfe", "is text in UTF-16: save it as UTF-8"},
	{"\xfe\xff", "is text in UTF-16: save it as UTF-8"},
	{"\x7fELF", "is a program: neither text nor a binary format known here (IDX, NPY)"},
}

const (
	asCSV = "save the table as CSV (pandas: to_csv(…, index=False))"
	asNPY = "turn the images into an array of one row each, and save that with numpy.save"
)

// foreign says what a file that begins with head is, and what to do, if it is of a format
// that people have and this package does not read. Otherwise it returns "".
func foreign(head []byte) string {
	for _, f := range foreignFormats {
		table := len(f.magic) <= 4 && isText([]byte(f.magic)) && isText(head) // which may begin like that as well
		if bytes.HasPrefix(head, []byte(f.magic)) && !table {
			return f.what
		}
	}
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		switch {
		case bytes.Contains(head, []byte(".npy")):
			return "is an NPZ archive of arrays: save a single array with numpy.save"
		case bytes.Contains(head, []byte("[Content_Types].xml")), bytes.Contains(head, []byte("xl/")):
			return "is an Excel file (or other Office document): export the table as CSV"
		}
		return "is a zip archive: unzip it first"
	case len(head) > 262 && string(head[257:262]) == "ustar":
		return "is a tar archive: extract the file first"
	case len(head) > 1 && head[0] == 0x80 && 2 <= head[1] && head[1] <= 5 && !isText(head):
		return "is a Python pickle, which can hold anything: save the table as CSV, or the array with numpy.save"
	case len(head) > 10 && string(head[8:10]) == `{"` && bytes.Equal(head[4:8], make([]byte, 4)):
		return "is a safetensors file, such as a model: it holds no rows"
	}
	var half [2][]byte // the bytes at even and at odd places
	for i, c := range head {
		half[i%2] = append(half[i%2], c)
	}
	for i, text := range half {
		if n := len(head) / 4; n > 0 && bytes.IndexByte(text, 0) < 0 && bytes.Count(half[1-i], []byte{0}) > n && isText(text) {
			return "looks like text in UTF-16: save it as UTF-8"
		}
	}
	trimmed := bytes.TrimLeft(head, " \t\r\n")
	start := strings.ToLower(string(trimmed[:min(len(trimmed), 16)]))
	for _, p := range []struct{ prefix, what string }{
		{"<!doctype html", "is a web page (HTML), perhaps an error page in place of the file: download the file itself"},
		{"<html", "is a web page (HTML), perhaps an error page in place of the file: download the file itself"},
		{"<?xml", "is an XML file: save the table as CSV"},
		{"@relation", "is an ARFF file (Weka): remove the lines up to @data, and read the rest as CSV"},
	} {
		if strings.HasPrefix(start, p.prefix) {
			return p.what
		}
	}
	if len(trimmed) > 1 && isText(head) && (trimmed[0] == '{' || trimmed[0] == '[') {
		if rest := bytes.TrimLeft(trimmed[1:], " \t\r\n"); len(rest) > 0 && bytes.IndexByte([]byte(`"{[`), rest[0]) >= 0 ||
			trimmed[0] == '[' && len(rest) > 0 && (rest[0] == '-' || rest[0]-'0' <= 9) {
			return "is JSON: save the table as CSV"
		}
	}
	return ""
}

// isText reports whether all bytes of b may occur in text.
func isText(b []byte) bool {
	for _, c := range b {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' {
			return false
		}
	}
	return true
}
