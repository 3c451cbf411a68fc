package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// TestConstantInput: an input that had one value in training changes no prediction with
// another one, is named when a model is made, and no row is called far off for it.
func TestConstantInput(t *testing.T) {
	t.Chdir(t.TempDir())
	r := rand.New(rand.NewPCG(3, 9))
	var as, other strings.Builder
	fmt.Fprintln(&as, "a,wap,b,y")
	fmt.Fprintln(&other, "a,wap,b,y")
	for range 300 {
		a, b := r.NormFloat64(), r.NormFloat64()
		fmt.Fprintf(&as, "%v,100,%v,%v\n", a, b, math.Sin(3*a)+b)
		fmt.Fprintf(&other, "%v,-93,%v,%v\n", a, b, math.Sin(3*a)+b)
	}
	for name, text := range map[string]string{"as.csv": as.String(), "other.csv": other.String()} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const said = `1 input has one value in all training rows, and no other one changes a prediction: "wap"`
	for _, line := range []string{
		"fit --data as.csv --model m",
		"fit --data as.csv --model m --scale minmax --sampler nystrom --features 32",
		"fit --data as.csv --model m --precision f32 --solver cg --memory 128MiB",
		"fit --data as.csv --model m --auto --budget 0 --features 64",
		"fit --data as.csv --model m --auto --budget 100ms --features 64",
		"gram --data as.csv --features 64 --output g",
	} {
		if err := ok(t, line).errors; strings.Count(err, said) != 1 {
			t.Errorf("%s does not say %q once:\n%s", line, said, err)
		}
		if strings.HasPrefix(line, "gram") {
			ok(t, "solve --model m --gram g")
		}
		if text := ok(t, "show m").out; strings.Count(text, said) != 1 {
			t.Errorf("show does not say %q after %s:\n%s", said, line, text)
		}
		want, got := ok(t, "predict --model m --data as.csv --label y"), ok(t, "predict --model m --data other.csv --label y")
		if want.out != got.out || want.errors != got.errors || strings.Contains(got.errors, "far outside") {
			t.Errorf("%s: a constant input decides: %s, with another value %s", line, want.errors, got.errors)
		}
	}
	if text := ok(t, "compare --data as.csv --features 16 --reps 1 --samplers rff").out; strings.Count(text, said) != 1 {
		t.Errorf("compare does not say %q once:\n%s", said, text)
	}
	if err := ok(t, "fit --data as.csv --model m --scale none").errors; strings.Contains(err, "one value") {
		t.Errorf("--scale none holds an input: %s", err)
	}
}
