package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/rffgo/rff/internal/atomicfile"
)

// record is what has been measured.
type record struct {
	Accuracy []accuracy `json:"accuracy"`

	path string
}

// accuracy is one way of fitting the classes of a division of a set, on rows not seen.
type accuracy struct {
	Set       string  `json:"set"`
	Split     int     `json:"split"`
	Rows      int     `json:"rows"` // that were fitted
	Way       string  `json:"way"`
	Lambda    float64 `json:"lambda"`
	Accuracy  float64 `json:"accuracy"`
	Balanced  float64 `json:"balanced"` // mean recall of the classes
	LogLoss   float64 `json:"logLoss"`
	Processor float64 `json:"processor"` // seconds of a thread
	Passes    int     `json:"passes"`    // over the rows, of the whole path of λ
}

func read(path string) (*record, error) {
	r := &record{path: path}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(text, r)
	}
	return r, err
}

func (r *record) write() error {
	return atomicfile.Write(r.path, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		return e.Encode(r)
	})
}

const head = `# Which loss has the best probabilities

Squares calibrated on rows left out by folds or one by one, hard rows counted 2, 4 or 10 times, squared hinge calibrated on a fold, and logistic or softmax, on rows that the fit has not seen: half of the rows of a set, at most %d, are fitted and at most %d others predicted, with %d random features of the Gaussian kernel, λ by held-out rows of the loss itself, and the bandwidth that is best for squares. Means over the divisions, with errors in %%, and processor seconds of the fit with its choice of λ, on a machine with other work. ` + "`RFF_DATA=DIR go -C bench run ./losses`" + ` measures and writes this page; a test holds it to the committed results.

| set | divisions | loss | log loss | error | balanced error | passes | seconds |
|---|---:|---|---:|---:|---:|---:|---:|
`

// table returns the page.
func (r *record) table() string {
	var text strings.Builder
	fmt.Fprintf(&text, head, mostTrain, mostTest, features)
	var names []string
	for _, a := range r.Accuracy {
		names = append(names, a.Set)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		for _, way := range ways() {
			var mean accuracy
			var n, passes float64
			for _, a := range r.Accuracy {
				if a.Set == name && a.Way == way.name {
					n, passes = n+1, passes+float64(a.Passes)
					mean.LogLoss, mean.Accuracy = mean.LogLoss+a.LogLoss, mean.Accuracy+a.Accuracy
					mean.Balanced, mean.Processor = mean.Balanced+a.Balanced, mean.Processor+a.Processor
				}
			}
			fmt.Fprintf(&text, "| %s | %.0f | %s | %.4f | %.2f | %.2f | %.0f | %.2f |\n", name, n, way.name,
				mean.LogLoss/n, 100*(1-mean.Accuracy/n), 100*(1-mean.Balanced/n), passes/n, mean.Processor/n)
		}
	}
	return text.String()
}
