// Command letter turns the Letter Recognition rows on its standard input, as
// letter.R prints them, into the compact form package dataset embeds. The rows
// are put in the order of the files letter.train.csv.gz and letter.test.csv.gz
// of a folder, LIBSVM's; it fails unless both hold the same rows.
package main

import (
	"bufio"
	"compress/gzip"
	"flag"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	order := flag.String("order", "", "folder of letter.train.csv.gz and letter.test.csv.gz")
	flag.Parse()
	have := map[string]int{}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		have[in.Text()]++
	}
	if err := in.Err(); err != nil {
		log.Fatal(err)
	}
	var columns [17][]byte
	for _, row := range ordered(*order) {
		if have[row]--; have[row] < 0 {
			log.Fatalf("the row %s is not on standard input", row)
		}
		fields := strings.Split(row, ",")
		if len(fields) != len(columns) {
			log.Fatalf("line %d: %d fields", len(columns[0])+1, len(fields))
		}
		columns[0] = append(columns[0], fields[0][0])
		for j, f := range fields[1:] {
			v, err := strconv.ParseUint(f, 10, 8)
			if err != nil {
				log.Fatalf("line %d: %v", len(columns[0]), err)
			}
			columns[j+1] = append(columns[j+1], byte(v))
		}
	}
	if in := len(columns[0]); in != 20000 {
		log.Fatalf("%d rows, want 20000", in)
	}
	z, err := gzip.NewWriterLevel(os.Stdout, gzip.BestCompression)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range columns {
		if _, err := z.Write(c); err != nil {
			log.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		log.Fatal(err)
	}
}

// ordered returns the rows of the files in folder, label first and as a letter.
func ordered(folder string) []string {
	var rows []string
	for _, name := range []string{"letter.train.csv.gz", "letter.test.csv.gz"} {
		f, err := os.Open(filepath.Join(folder, name))
		if err != nil {
			log.Fatal(err)
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			log.Fatal(err)
		}
		in := bufio.NewScanner(z)
		in.Scan() // header
		for in.Scan() {
			i := strings.LastIndexByte(in.Text(), ',')
			class, err := strconv.Atoi(in.Text()[i+1:])
			if err != nil || class < 1 || class > 26 {
				log.Fatalf("%s: class %q", name, in.Text()[i+1:])
			}
			rows = append(rows, string(rune('A'+class-1))+","+in.Text()[:i])
		}
		if err := in.Err(); err != nil {
			log.Fatal(err)
		}
	}
	return rows
}
