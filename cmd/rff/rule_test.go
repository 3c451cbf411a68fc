package main

import (
	"strings"
	"testing"
)

// A second solution is told of in the report and in the model, and is refused for
// numbers.
func TestHardWeight(t *testing.T) {
	t.Chdir(t.TempDir())
	const fit = "fit --data letter --features 128 --model m"
	once, twice := ok(t, fit).out, ok(t, fit+" --hard-weight 5 --probabilities").out
	if strings.Contains(once, "rule ") || !strings.Contains(twice, "rule      hard:5: ") {
		t.Errorf("%s\n%s", once, twice)
	}
	if text := ok(t, "show m").out; !strings.Contains(text, "hard:5") {
		t.Errorf("the model does not say it:\n%s", text)
	}
	if by := ok(t, fit+" --solver cg --hard-weight 5 --probabilities").out; !strings.Contains(by, "rule      hard:5: ") || !strings.Contains(by, "log loss") {
		t.Errorf("by conjugate gradients:\n%s", by)
	}
	save(t, ".", "d.csv", waves(200))
	refused(t, "fit --data d.csv --model n --hard-weight 5", "--hard-weight", "no hard rows")
}
