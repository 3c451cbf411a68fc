// Bench fits the same rows by rff fit and by rffbeam fit on an engine whose parts are
// processes of their own, and prints processor time, time and memory, and how far the two
// models are apart. The engine is Prism with a pool of workers, or Apache Flink: a job
// manager, task managers, and Beam's server of jobs, which Maven fetches.
//
//	go run ./bench --rows 5000000 --features 1024 --processes 2
//	go run ./bench --data 'parts/*.csv' --label y --features 1024
//	go run ./bench --engine flink --processes 2 --kill 10s
//
// The runs are in the order rff, rffbeam, rffbeam, rff, as often as --pairs says.
// Processor time is user and system time of all processes, as the operating system
// has counted it; memory is the largest of any one process.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/dataset/parquet"
	"github.com/rffgo/rff/krr"
)

var (
	rows       = flag.Int("rows", 5_000_000, "`number` of rows to generate")
	inputs     = flag.Int("inputs", 8, "`number` of their inputs")
	parts      = flag.Int("parts", 32, "`number` of Parquet files they are in")
	data       = flag.String("data", "", "`glob` of files to fit instead")
	label      = flag.String("label", "y", "`column` of the label")
	features   = flag.Int("features", 1024, "`number` of features")
	engineName = flag.String("engine", "prism", "`engine` of rffbeam: prism or flink")
	processes  = flag.Int("processes", 2, "`number` of worker processes, or of task managers")
	workers    = flag.String("workers", "loopback", "where Flink's `workers` are: loopback, in the process of rffbeam, or process, one for each task manager")
	kill       = flag.Duration("kill", 0, "`time` that the fit has run on Flink when a task manager is killed, and another one started")
	pairs      = flag.Int("pairs", 1, "`times` to run rff, rffbeam, rffbeam, rff; 0: rffbeam once")
	folder     = flag.String("folder", "", "`folder` to work in, which is kept (default: a temporary one)")
)

func main() {
	flag.Parse()
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run() error {
	dir := *folder
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "rffbeam"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	on, err := engineOf(*engineName)
	if err != nil {
		return err
	}
	for _, b := range append(on.programs, program{"rff", "..", "./cmd/rff"}, program{"rffbeam", ".", "./cmd/rffbeam"}) {
		c := exec.Command("go", "build", "-o", filepath.Join(dir, b.name), b.of)
		c.Dir, c.Stderr = b.in, os.Stderr
		if err := c.Run(); err != nil {
			return err
		}
	}
	if *data == "" {
		*data = filepath.Join(dir, "rows-*.parquet")
		if err := generate(dir); err != nil {
			return err
		}
	}
	files, err := filepath.Glob(*data)
	if err != nil || len(files) == 0 {
		return fmt.Errorf("no files %s (%v)", *data, err)
	}
	fmt.Printf("%d files, %d features, %s with %d worker processes; %d CPUs, load %s\n", len(files), *features, *engineName, *processes, runtime.NumCPU(), load())
	fmt.Printf("%-8s %10s %10s %10s\n", "", "cpu s", "wall s", "MB")
	same := []string{"--label", *label, "--features", fmt.Sprint(*features), "--lambda", "1e-4"}
	alone := func() (usage, error) {
		var u usage
		return u, u.run(filepath.Join(dir, "rff"), append([]string{"fit", "--data", strings.Join(files, ","), "--model", filepath.Join(dir, "alone")}, same...)...)
	}
	onBeam := func() (usage, error) {
		return on.run(dir, append([]string{"fit", "--data", *data, "--model", filepath.Join(dir, "beamed")}, same...)...)
	}
	if *pairs == 0 {
		u, err := onBeam()
		u.print("rffbeam")
		return err
	}
	var cpu [2]float64
	for range *pairs {
		for _, k := range []int{0, 1, 1, 0} {
			name, do := "rff", alone
			if k == 1 {
				name, do = "rffbeam", onBeam
			}
			u, err := do()
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			u.print(name)
			cpu[k] += u.cpu.Seconds()
		}
	}
	fmt.Printf("processor time of rffbeam over rff's: %.3f\n", cpu[1]/cpu[0])
	worst, scored, err := apart(filepath.Join(dir, "alone"), filepath.Join(dir, "beamed"), files[0])
	if err != nil {
		return err
	}
	fmt.Printf("largest difference of their %d predictions on the first file: %.2g\n", scored, worst)
	return nil
}

// apart returns the largest difference of the predictions of two models of the rows of a
// file, and the number of these.
func apart(one, other, file string) (worst float64, n int, err error) {
	var predictions [2]blas.General[float64]
	for k, name := range []string{one, other} {
		m, err := krr.Load(name)
		if err != nil {
			return 0, 0, err
		}
		f, err := dataset.Open(context.Background(), dataset.Options{Label: *label}, file)
		if err != nil {
			return 0, 0, err
		}
		rows, err := f.Table(context.Background())
		if err != nil {
			return 0, 0, err
		}
		_, out := m.Dims()
		predictions[k] = blas.NewGeneral[float64](rows.X.Rows, out)
		if err := fits.PredictBatch(m, predictions[k], rows.X); err != nil {
			return 0, 0, err
		}
	}
	for i, v := range predictions[0].Data {
		worst = max(worst, math.Abs(v-predictions[1].Data[i]))
	}
	return worst, len(predictions[0].Data), nil
}

// generate writes rows of normal inputs and a smooth target.
func generate(dir string) error {
	random := rand.New(rand.NewPCG(1, 2))
	columns := make([]parquet.Column, *inputs+1)
	for j := range *inputs {
		columns[j].Name = fmt.Sprint("x", j)
	}
	columns[*inputs].Name = *label
	for k := range *parts {
		f, err := os.Create(filepath.Join(dir, fmt.Sprintf("rows-%04d.parquet", k)))
		if err != nil {
			return err
		}
		w, err := parquet.NewWriter(f, columns)
		if err != nil {
			return err
		}
		for range *rows*(k+1) / *parts - *rows*k / *parts {
			y := 0.1 * random.NormFloat64()
			for j := range *inputs {
				x := random.NormFloat64()
				w.Number(x)
				y += math.Sin(x * float64(j+1) / 4)
			}
			w.Number(y)
			if err := w.EndRow(); err != nil {
				return err
			}
		}
		if err := w.Close(); err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}
