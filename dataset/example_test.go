package dataset_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/rffgo/rff/dataset"
)

const flowers = `length,width,kind
5.1,3.5,setosa
4.9,3.0,setosa
7.0,3.2,versicolor
6.4,3.2,versicolor
`

// Open reads the start of the files; Scan and Source stream their rows. Read loads
// all rows into memory.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "rff")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "flowers.csv")
	if err := os.WriteFile(path, []byte(flowers), 0o666); err != nil {
		log.Fatal(err)
	}

	ctx := context.Background()
	files, err := dataset.Open(context.Background(), dataset.Options{Label: "kind"}, path)
	if err != nil {
		log.Fatal(err)
	}
	summary, err := files.Scan(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(files.Schema().InputNames(), "→", files.Schema().Target.Name)
	fmt.Println(summary.Rows, "rows of", summary.Coding.Classes)
	data := files.Source(summary.Coding, summary.Rows) // for krr.Fit and krr.Auto
	for batch, err := range data.Batches(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(batch.X.Row(0), batch.Y.Row(0))
	}
	// Output:
	// [length width] → kind
	// 4 rows of [setosa versicolor]
	// [5.1 3.5] [-1]
}

// The built-in set, for trying things out.
func ExampleLetter() {
	letters := dataset.Letter()
	fmt.Println(letters.Len(), "rows,", len(letters.Inputs), "inputs; the first is a", letters.Label(0))
	// Output: 20000 rows, 16 inputs; the first is a Z
}
