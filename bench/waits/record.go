package main

import (
	"maps"

	"github.com/rffgo/rff/bench/jsonl"
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
	return jsonl.Append(path, id)
}

// readCells reads a file of cells; without it there are none.
func readCells(path string) (cells, error) {
	all := cells{}
	read, err := jsonl.Read[cell](path)
	for _, id := range read {
		all.put(id)
	}
	return all, err
}
