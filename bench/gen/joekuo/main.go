// Command joekuo packs Joe and Kuo's table of direction numbers, the text file
// new-joe-kuo-6.21201 of https://web.maths.unsw.edu.au/~fkuo/sobol/, for package
// sampling, whose joeKuoTable documents the format.
//
//	joekuo -o joekuo.bin new-joe-kuo-6.21201
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
)

func main() {
	log.SetFlags(0)
	out := flag.String("o", "joekuo.bin", "file to write")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("usage: joekuo -o joekuo.bin new-joe-kuo-6.21201")
	}
	packed, err := pack(flag.Arg(0))
	if err == nil {
		err = os.WriteFile(*out, packed, 0o644)
	}
	if err != nil {
		log.Fatal("joekuo: ", err)
	}
}

// pack reads lines "d s a m₁ … m_s", d = 2, 3, …, with non-decreasing degrees s.
func pack(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Scan() // the header
	byDegree := [][][]uint64{nil}
	for d := 2; lines.Scan(); d++ {
		var v []uint64
		for _, word := range strings.Fields(lines.Text()) {
			n, err := strconv.ParseUint(word, 10, 32)
			if err != nil {
				return nil, err
			}
			v = append(v, n)
		}
		if len(v) < 4 || v[0] != uint64(d) || int(v[1]) != len(v)-3 || int(v[1]) < len(byDegree)-1 || v[2]>>(v[1]-1) != 0 {
			return nil, fmt.Errorf("%s: dimension %d does not read as d s a m…", file, d)
		}
		for int(v[1]) >= len(byDegree) {
			byDegree = append(byDegree, nil)
		}
		byDegree[v[1]] = append(byDegree[v[1]], v[2:])
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	var w bitWriter
	for degree, list := range byDegree {
		if degree == 0 {
			continue
		}
		w.put(uint64(len(list)), 16)
		for _, v := range list {
			w.put(v[0], degree-1)
			for i, m := range v[1:] {
				if m&1 == 0 || m>>(i+1) != 0 {
					return nil, errors.New("an initial number m is even or too large")
				}
				w.put(m>>1, i)
			}
		}
	}
	return w.data, nil
}

type bitWriter struct {
	data []byte
	n    int
}

func (w *bitWriter) put(v uint64, width int) {
	for i := range width {
		if w.n%8 == 0 {
			w.data = append(w.data, 0)
		}
		w.data[w.n>>3] |= byte(v>>i&1) << (w.n & 7)
		w.n++
	}
}
