package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"strconv"

	"github.com/rffgo/rff/dataset"
)

// boosting are the intervals of quantile gradient boosting on one division of a set.
type boosting struct {
	Set   string `json:"set"`
	Split int    `json:"split"`
	// Of the quantiles of 5 and 95 %, and of these after conformal correction.
	Coverage, Size                   float64
	CorrectedCoverage, CorrectedSize float64
}

// rivalOf fits quantile gradient boosting to the rows that measure fits.
func rivalOf(ctx context.Context, python string, t *dataset.Table, split int) (*boosting, error) {
	train, test := divide(t, split)
	var numbers bytes.Buffer
	for _, part := range []*dataset.Table{train, test} {
		for i := range part.Len() {
			for _, v := range [][]float64{part.X.Row(i), part.Y[i : i+1]} {
				if err := binary.Write(&numbers, binary.LittleEndian, v); err != nil {
					return nil, err
				}
			}
		}
	}
	rival := exec.CommandContext(ctx, python, "coverage/rival.py", strconv.Itoa(train.Len()), strconv.Itoa(train.X.Cols), strconv.Itoa(split))
	rival.Stdin, rival.Stderr = &numbers, os.Stderr
	out, err := rival.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", python, err)
	}
	b := &boosting{Set: t.Name, Split: split}
	_, err = fmt.Sscan(string(out), &b.Coverage, &b.Size, &b.CorrectedCoverage, &b.CorrectedSize)
	return b, err
}
