package krr_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing/fstest"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/krr"
)

// sine returns n points x ∈ [−3, 3) and sin x, with a little noise.
func sine(n int, seed uint64) (x, y *mat.Dense) {
	rng := rand.New(rand.NewPCG(seed, 0))
	x, y = mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		v := 6*rng.Float64() - 3
		x.Set(i, 0, v)
		y.Set(i, 0, math.Sin(v)+0.1*rng.NormFloat64())
	}
	return x, y
}

// rings returns n points of the plane: half of them within a circle, labelled
// "inner", half around it, "outer".
func rings(n int) (x *mat.Dense, labels []string) {
	rng := rand.New(rand.NewPCG(7, 0))
	x = mat.NewDense(n, 2, nil)
	for i := range n {
		r, name := rng.Float64(), "inner"
		if i%2 == 1 {
			r, name = 1.5+rng.Float64(), "outer"
		}
		s, c := math.Sincos(2 * math.Pi * rng.Float64())
		x.SetRow(i, []float64{r * c, r * s})
		labels = append(labels, name)
	}
	return x, labels
}

// Auto chooses scaling, kernel, bandwidth, number of features and λ.
func ExampleAuto() {
	x, labels := rings(1000)
	data, err := krr.FromLabels(x, labels)
	if err != nil {
		log.Fatal(err)
	}
	model, _, err := krr.Auto(context.Background(), data, krr.AutoSettings{Budget: time.Second / 4})
	if err != nil {
		log.Fatal(err)
	}
	answers, err := model.Labels(mat.NewDense(2, 2, []float64{
		0.3, -0.2,
		-1.4, 1.4,
	}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(model.Info().Schema.Target.Classes, answers)
	// Output: [inner outer] [inner outer]
}

// Fit takes the features as they are given and chooses λ by cross-validation.
func ExampleFit() {
	x, y := sine(2000, 1)
	data, err := rff.FromMatrix(x, y)
	if err != nil {
		log.Fatal(err)
	}
	features, err := rff.New(rff.NewGaussian(1), 1, 64, rand.NewPCG(1, 2)) // σ, inputs, columns
	if err != nil {
		log.Fatal(err)
	}
	model, report, err := krr.Fit(context.Background(), features, data, krr.Settings{})
	if err != nil {
		log.Fatal(err)
	}
	var prediction mat.Dense
	if err := model.Predict(&prediction, mat.NewDense(2, 1, []float64{0, math.Pi / 2})); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d rows, R² %.2f\n", report.Train.Rows, report.Train.R2[0])
	fmt.Printf("sin 0 ≈ %.1f, sin π/2 ≈ %.1f\n", math.Abs(prediction.At(0, 0)), prediction.At(1, 0))
	// Output:
	// 2000 rows, R² 0.98
	// sin 0 ≈ 0.0, sin π/2 ≈ 1.0
}

// A Gram is what a fit needs to know of its rows: Grams of parts, made one after
// the other or on several machines, add up to that of the whole.
func ExampleGram_Merge() {
	ctx := context.Background()
	features, err := rff.New(rff.NewGaussian(1), 1, 64, rand.NewPCG(1, 2)) // the same map for every part
	if err != nil {
		log.Fatal(err)
	}
	var total *krr.Gram
	for part := range uint64(3) {
		data, err := rff.FromMatrix(sine(500, part))
		if err != nil {
			log.Fatal(err)
		}
		gram := krr.NewGram(features, 1, krr.GramSettings{})
		if err := gram.AddSource(ctx, data); err != nil {
			log.Fatal(err)
		}
		if total == nil {
			total = gram
		} else if err := total.Merge(gram); err != nil {
			log.Fatal(err)
		}
	}
	model, err := total.Solve(ctx, 1e-6)
	if err != nil {
		log.Fatal(err)
	}
	prediction := make([]float64, 1)
	if err := model.PredictRow(prediction, []float64{math.Pi / 6}); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d rows, sin π/6 ≈ %.1f\n", total.Rows(), prediction[0])
	// Output: 1500 rows, sin π/6 ≈ 0.5
}

// A model is one file, which keeps the map, the scaling and the labels.
func ExampleModel_Save() {
	x, labels := rings(1000)
	data, err := krr.FromLabels(x, labels)
	if err != nil {
		log.Fatal(err)
	}
	features, err := rff.New(rff.NewGaussian(1), 2, 64, rand.NewPCG(1, 2))
	if err != nil {
		log.Fatal(err)
	}
	model, _, err := krr.Fit(context.Background(), features, data, krr.Settings{})
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "rff")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "rings.safetensors")
	if err := model.Save(path); err != nil {
		log.Fatal(err)
	}
	again, err := krr.Load(path)
	if err != nil {
		log.Fatal(err)
	}
	answers, err := again.Labels(mat.NewDense(1, 2, []float64{2, 0}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(again.Info().Schema.Target.Classes, answers)
	// Output: [inner outer] [outer]
}

// A service takes what it has: a model of words and missing values, and a struct. The
// model may come from rff fit --categories town --missing mean.
func ExampleModel_PredictRow_struct() {
	model, err := krr.ReadModel(strings.NewReader(trained()))
	if err != nil {
		log.Fatal(err)
	}
	type flat struct {
		Area float64 `rff:"area"`
		Town string  `rff:"town"`
		Age  *int    `rff:"age"` // nil: missing
	}
	encode, err := rff.EncoderOf[flat](model.Info().Schema)
	if err != nil {
		log.Fatal(err)
	}
	in, out := model.Dims()
	x, rent := make([]float64, in), make([]float64, out)
	if err := encode(x, &flat{Area: 80, Town: "Bonn"}); err != nil {
		log.Fatal(err)
	}
	if err := model.PredictRow(rent, x); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.0f\n", rent[0])
	// Output: 740
}

// trained returns the file of a model of flats.
func trained() string {
	ctx := context.Background()
	o := dataset.Options{FS: fstest.MapFS{"flats.csv": {Data: []byte(flats)}}, Label: "rent", Task: dataset.Regression, Categories: []string{"town"}, Missing: rff.MissingMean}
	files, err := dataset.Open(ctx, o, "flats.csv")
	if err != nil {
		log.Fatal(err)
	}
	found, err := files.Scan(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	m, err := rff.New(rff.NewGaussian(4), 5, 64, rand.NewPCG(1, 2))
	if err != nil {
		log.Fatal(err)
	}
	model, _, err := krr.Fit(ctx, m, found.Source(), krr.Settings{Lambdas: []float64{1e-3}, Scaling: found.Scaling(dataset.Robust)})
	if err != nil {
		log.Fatal(err)
	}
	var b strings.Builder
	if _, err := model.WriteTo(&b); err != nil {
		log.Fatal(err)
	}
	return b.String()
}
