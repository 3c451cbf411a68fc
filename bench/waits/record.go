package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
)

// measured is cases.Cell.
type measured struct {
	Wall, CPU, Peak float64
	Absent          string `json:",omitempty"`
}

// cell is one run of a case, of one side of two revisions that were timed in turn.
type cell struct {
	Case, Side, Base, Now string
	Round, Turn           int
	measured
}

// cells are the recorded ones, by what they are of.
type cells map[cell]measured

func (c cells) has(id cell) bool {
	id.measured = measured{}
	_, ok := c[id]
	return ok
}

func (c cells) put(id cell) {
	m := id.measured
	id.measured = measured{}
	c[id] = m
}

// keep forgets the cells of other revisions.
func (c cells) keep(base, now string) {
	maps.DeleteFunc(c, func(id cell, _ measured) bool { return id.Base != base || id.Now != now })
}

// add records a cell at the end of a file, too.
func (c cells) add(path string, id cell) error {
	c.put(id)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	err = json.NewEncoder(f).Encode(id)
	return errors.Join(err, f.Close())
}

// readCells reads a file of cells; without it there are none.
func readCells(path string) (cells, error) {
	all := cells{}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var id cell
		if err := json.Unmarshal(lines.Bytes(), &id); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all.put(id)
	}
	return all, lines.Err()
}
