package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rffgo/rff/cmd/rff/report"
)

// chart draws columns of a CSV file that a command of the page wrote. Its lines are NAME:
// VALUE. csv, x and y name the file and the columns; by the column that says which curve a
// row belongs to; spread the column with the half length of bars. title, x-label, y-label
// and note are texts; log is x, y or both; as is points or line for curves without the
// other; times is what y is multiplied by.
func (b *block) chart(s *site, p *page) error {
	given := map[string]string{}
	for _, line := range b.lines {
		name, text, ok := strings.Cut(line, ": ")
		if !ok || !slices.Contains([]string{"csv", "x", "y", "by", "spread", "title", "x-label", "y-label", "note", "log", "as", "times"}, name) {
			return fmt.Errorf("a chart has the line %q, which is no NAME: VALUE that it knows", line)
		}
		given[name] = text
	}
	rows, err := readCSV(filepath.Join(s.folder(p), given["csv"]))
	if err != nil {
		return fmt.Errorf("a chart: %w", err)
	}
	c := &report.Chart{ID: fmt.Sprintf("chart%d", p.commands), Title: given["title"], XLabel: given["x-label"], YLabel: given["y-label"], Note: given["note"],
		LogX: strings.Contains(given["log"], "x"), LogY: strings.Contains(given["log"], "y")}
	p.commands++
	times := 1.0
	if t := given["times"]; t != "" {
		if times, err = strconv.ParseFloat(t, 64); err != nil {
			return fmt.Errorf("a chart: %w", err)
		}
	}
	for _, row := range rows {
		name := given["y-label"]
		if by := given["by"]; by != "" {
			name = row[by]
		}
		i := slices.IndexFunc(c.Series, func(s report.Series) bool { return s.Name == name })
		if i < 0 {
			i = len(c.Series)
			c.Series = append(c.Series, report.Series{Name: name, Style: i, Apart: given["as"] == "points", Bare: given["as"] == "line"})
		}
		point, err := pointOf(row, given, times)
		if err != nil {
			return fmt.Errorf("a chart of %s: %w", given["csv"], err)
		}
		c.Series[i].Points = append(c.Series[i].Points, point)
	}
	c.Keys = len(c.Series) > 1
	var w bytes.Buffer
	if err := look.ExecuteTemplate(&w, "figure", c); err != nil {
		return err
	}
	b.html = w.String()
	return nil
}

// pointOf reads the point of a row.
func pointOf(row, given map[string]string, times float64) (p report.Point, err error) {
	for name, to := range map[string]*float64{"x": &p.X, "y": &p.Y, "spread": &p.Spread} {
		if given[name] == "" && name == "spread" {
			continue
		}
		text, ok := row[given[name]]
		if !ok {
			return p, fmt.Errorf("no column %q for %s", given[name], name)
		}
		if *to, err = strconv.ParseFloat(text, 64); err != nil {
			return p, err
		}
	}
	p.Y *= times
	p.Spread *= times
	return p, nil
}

// readCSV returns the rows of a file, by the names of its columns.
func readCSV(name string) (rows []map[string]string, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(all) < 2 {
		return nil, errors.New("the file has no rows")
	}
	for _, cells := range all[1:] {
		row := map[string]string{}
		for i, cell := range cells {
			row[all[0][i]] = cell
		}
		rows = append(rows, row)
	}
	return rows, nil
}
