package main

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/sampling"
)

// readingCases are files read and written, by the library and by the command.
var readingCases = func() []Case {
	var all []Case
	for _, workers := range []int{1, 2} {
		on := fmt.Sprintf(", %d workers", workers)
		all = append(all,
			Case{Name: "fit kddcup99 256" + on, Subject: "Files", Wanted: "on two workers 1.8 × faster than the base on one", Workers: workers, Repeat: 2, prepare: fitFile},
			Case{Name: "predict kddcup99 256" + on, Subject: "Files", Workers: workers, Repeat: 2, prepare: predictFile},
			Case{Name: "table of kddcup99" + on, Subject: "Files", Workers: workers, Repeat: 2, prepare: readTable},
			Case{Name: "scan 100 MB of 17 digits" + on, Subject: "Files", Wanted: "≤ .25 s on one worker", Workers: workers, Repeat: 3, prepare: scanNumbers(17)},
			Case{Name: "scan 100 MB of 6 digits" + on, Subject: "Files", Workers: workers, Repeat: 3, prepare: scanNumbers(6)},
		)
	}
	all = append(all,
		Case{Name: "fit 3000 sparse rows of 100000 inputs, 256", Subject: "Wide data", prepare: fitSparse("float64")},
		Case{Name: "fit 3000 sparse rows of 100000 inputs, 256, float32", Subject: "Wide data", prepare: fitSparse("float32")},
		Case{Name: "fit 10000 rows of 1000 classes, 1024", Subject: "Wide data", prepare: fitClasses},
	)
	return append(all, Case{Name: "compact 784,8192", Subject: "Samplers", Wanted: "≤ .2 s", Workers: 1, prepare: drawCompact})
}()

// kddcup99 returns the file of that data set, 144 MB as text.
func kddcup99() (string, error) {
	name := filepath.Join(os.Getenv("RFF_DATA"), "kddcup99", "kddcup99-10pct.csv.gz")
	if _, err := os.Stat(name); err != nil {
		return "", fmt.Errorf("%w: RFF_DATA has no kddcup99", errAbsent)
	}
	return name, nil
}

func fitFile(s *side) (func() error, error) {
	name, err := kddcup99()
	return s.rff("fit", "--data", name, "--features", "256", "--workers", strconv.Itoa(s.workers), "--model", "model"), err
}

func predictFile(s *side) (func() error, error) {
	fit, err := fitFile(s)
	if err == nil {
		err = fit()
	}
	if err != nil {
		return nil, err
	}
	name, err := kddcup99()
	return s.rff("predict", "--data", name, "--label", "y", "--model", "model", "--scores", "--workers", strconv.Itoa(s.workers), "--output", "p.csv"), err
}

func readTable(*side) (func() error, error) {
	name, err := kddcup99()
	return func() error {
		_, err := dataset.Read(context.Background(), dataset.Options{}, name)
		return err
	}, err
}

// scanNumbers reads numbers of so many digits, without the fit that would follow.
func scanNumbers(digits int) func(*side) (func() error, error) {
	return func(s *side) (func() error, error) {
		name := filepath.Join(s.folder, "numbers.csv")
		if err := writeNumbers(name, digits); err != nil {
			return nil, err
		}
		return func() error {
			f, err := dataset.Open(context.Background(), dataset.Options{Task: dataset.Regression}, name)
			if err == nil {
				_, err = f.Scan(context.Background(), nil)
			}
			return err
		}, nil
	}
}

func writeNumbers(name string, digits int) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	rng := rand.New(rand.NewPCG(1, uint64(digits)))
	w, line, size := bufio.NewWriter(f), []byte(nil), 0
	for size < 100e6 {
		line = line[:0]
		for range 20 {
			line = append(strconv.AppendFloat(line, rng.NormFloat64(), 'g', digits, 64), ',')
		}
		line[len(line)-1] = '\n'
		size += len(line)
		w.Write(line)
	}
	return w.Flush()
}

func drawCompact(*side) (func() error, error) {
	return func() error {
		m, err := sampling.Compact{}.Sample(context.Background(), rff.Request{Kernel: rff.NewGaussian(10), Dim: 784, Features: 8192, Rand: rand.NewPCG(1, 1)})
		if err == nil {
			inside.Features64(m)
		}
		return err
	}, nil
}

// fitSparse fits rows of LIBSVM that have 75 inputs each.
func fitSparse(precision string) func(*side) (func() error, error) {
	return func(s *side) (func() error, error) {
		err := s.write("sparse.libsvm", func(w *bufio.Writer, r *rand.Rand) {
			for i := range 3000 {
				fmt.Fprint(w, i%2)
				at := make([]int, 75)
				for k := range at {
					at[k] = 1 + r.IntN(100_000)
				}
				slices.Sort(at)
				for _, j := range slices.Compact(at) {
					fmt.Fprintf(w, " %d:%.4f", j, r.NormFloat64())
				}
				fmt.Fprintln(w)
			}
		})
		return s.rff("fit", "--data", "sparse.libsvm", "--width", "100000", "--features", "256", "--precision", precision, "--workers", "1", "--model", "model"), err
	}
}

// fitClasses fits rows around the centres of classes.
func fitClasses(s *side) (func() error, error) {
	err := s.write("classes.csv", func(w *bufio.Writer, r *rand.Rand) {
		centre := make([][20]float64, 1000)
		for i := range centre {
			for j := range centre[i] {
				centre[i][j] = r.NormFloat64()
			}
		}
		for range 10_000 {
			c := r.IntN(len(centre))
			for _, v := range centre[c] {
				fmt.Fprintf(w, "%.5f,", v+r.NormFloat64()/2)
			}
			fmt.Fprintf(w, "c%d\n", c)
		}
	})
	return s.rff("fit", "--data", "classes.csv", "--features", "1024", "--workers", "1", "--model", "model"), err
}

// write writes a file of random rows.
func (s *side) write(name string, rows func(w *bufio.Writer, r *rand.Rand)) error {
	f, err := os.Create(filepath.Join(s.folder, name))
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	rows(w, rand.New(rand.NewPCG(1, 2)))
	return w.Flush()
}
