// Files times rff fit on the same rows as gzipped CSV and as Parquet.
//
//	go -C bench run ./files --csv $RFF_DATA/kddcup99/kddcup99-10pct.csv.gz
//
// It writes the Parquet file itself, with package dataset/parquet, and fits in the
// order CSV, Parquet, Parquet, CSV, as often as --pairs says. Processor time is user
// and system time, as the operating system has counted it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/dataset/parquet"
)

func main() {
	csv := flag.String("csv", "", "gzipped CSV `file`, with the label in the last column")
	features := flag.Int("features", 256, "`number` of features")
	pairs := flag.Int("pairs", 2, "`times` to run CSV, Parquet, Parquet, CSV")
	flag.Parse()
	if err := run(*csv, *features, *pairs); err != nil {
		fmt.Fprintln(os.Stderr, "files:", err)
		os.Exit(1)
	}
}

func run(csv string, features, pairs int) error {
	dir, err := os.MkdirTemp("", "rff")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	rff, table := filepath.Join(dir, "rff"), filepath.Join(dir, "rows.parquet")
	if out, err := exec.Command("go", "build", "-o", rff, "github.com/rffgo/rff/cmd/rff").CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	rows, err := convert(csv, table)
	if err != nil {
		return err
	}
	load, _ := os.ReadFile("/proc/loadavg")
	fmt.Printf("%d rows, %d features, %d CPUs, load %.5s\n%-8s %10s %10s %10s\n", rows, features, runtime.NumCPU(), load, "", "bytes", "cpu s", "wall s")
	var cpu, wall [2]time.Duration
	for range pairs {
		for _, k := range []int{0, 1, 1, 0} {
			name, file := "csv.gz", csv
			if k == 1 {
				name, file = "parquet", table
			}
			c := exec.Command(rff, "fit", "--data", file, "--features", fmt.Sprint(features), "--lambda", "1e-4", "--model", filepath.Join(dir, "model-"+name))
			start := time.Now()
			if out, err := c.CombinedOutput(); err != nil {
				return fmt.Errorf("%w\n%s", err, out)
			}
			w, u := time.Since(start), c.ProcessState.UserTime()+c.ProcessState.SystemTime()
			cpu[k], wall[k] = cpu[k]+u, wall[k]+w
			st, err := os.Stat(file)
			if err != nil {
				return err
			}
			fmt.Printf("%-8s %10d %10.2f %10.2f\n", name, st.Size(), u.Seconds(), w.Seconds())
		}
	}
	fmt.Printf("parquet over csv.gz: processor time %.3f, time %.3f\n", cpu[1].Seconds()/cpu[0].Seconds(), wall[1].Seconds()/wall[0].Seconds())
	return nil
}

// convert writes the rows of a file as Parquet, and returns their number.
func convert(from, to string) (n int64, err error) {
	f, err := dataset.Open(context.Background(), dataset.Options{}, from)
	if err != nil {
		return 0, err
	}
	out, err := os.Create(to)
	if err != nil {
		return 0, err
	}
	defer out.Close()
	var columns []parquet.Column
	for j, name := range f.Schema().InputNames() {
		if name == "" {
			name = fmt.Sprint("x", j)
		}
		columns = append(columns, parquet.Column{Name: strings.Clone(name)})
	}
	var w *parquet.Writer
	for row, err := range f.Rows(context.Background()) {
		if err != nil {
			return n, err
		}
		label, text := strconv.ParseFloat(row.Label(), 64)
		if w == nil {
			if w, err = parquet.NewWriter(out, append(columns, parquet.Column{Name: "y", Text: text != nil})); err != nil {
				return n, err
			}
		}
		for _, v := range row.X {
			w.Number(v)
		}
		if text == nil {
			w.Number(label)
		} else {
			w.Text(row.Label())
		}
		if err := w.EndRow(); err != nil {
			return n, err
		}
		n++
	}
	if err := w.Close(); err != nil {
		return n, err
	}
	return n, out.Close()
}
