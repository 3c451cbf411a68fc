package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Lists of files and of columns, as flags have them.

// addFiles adds a list of files, separated by commas. A text that is a file is taken
// whole, whatever commas its name has. A folder stands for the files in it, in the order
// of their names, but for those that begin with a dot or an underscore; a name with *, ?
// or [ for the files that it matches.
func addFiles(files []string, text string) ([]string, error) {
	if st, err := os.Stat(text); err == nil && !st.IsDir() {
		return append(files, text), nil
	}
	names, err := addWords(nil, text)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		pattern := name
		if st, err := os.Stat(name); err == nil && !st.IsDir() {
			files = append(files, name)
			continue
		} else if err == nil {
			pattern = filepath.Join(name, "[^._]*")
		} else if !strings.ContainsAny(name, "*?[") {
			files = append(files, name)
			continue
		}
		found, err := filepath.Glob(pattern)
		found = slices.DeleteFunc(found, func(p string) bool { st, err := os.Stat(p); return err != nil || st.IsDir() })
		if err != nil || len(found) == 0 {
			return nil, fmt.Errorf("there are no files %s", pattern)
		}
		files = append(files, found...)
	}
	return files, nil
}

// addColumns adds a list of columns as it is: the names of columns may have commas.
func addColumns(columns []string, text string) ([]string, error) {
	_, err := addList(nil, text)
	return append(columns, text), err
}

// addList adds the items of a list, which is split as a line of CSV is, so that quotes keep
// the commas of an item: "a,b",c.
func addList(list []string, text string) ([]string, error) {
	r := csv.NewReader(strings.NewReader(text))
	r.TrimLeadingSpace = true
	items, err := r.Read()
	if err != nil {
		return nil, errors.New(`must be names separated by commas, quoted as in CSV if they have commas: "a,b",c`)
	}
	for i := range items {
		if items[i] = strings.TrimSpace(items[i]); items[i] == "" {
			return nil, errors.New("empty item in a list")
		}
	}
	return append(list, items...), nil
}
