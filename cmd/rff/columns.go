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

// Flags take lists of files and of columns.

// addFiles adds a list of files, separated by commas. If the whole text names a file it is not
// split, whatever commas it has. A folder stands for the files in it, in the order of their
// names, except those whose names begin with a dot or an underscore. A name with *, ? or [
// stands for the files that it matches, as in a shell: those that begin with a dot must be asked for.
// A folder among these is refused: its name may hold a column, as in year=2024, and left out it would
// be missed.
func addFiles(files []string, text string) ([]string, error) {
	if st, err := os.Stat(text); err == nil && !st.IsDir() {
		return append(files, text), nil
	}
	names, err := addWords(nil, text)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		pattern, hidden := name, "."
		if _, err := os.Stat(name); isFolder(name) {
			pattern, hidden = filepath.Join(quoteMeta.Replace(name), "*"), "._"
		} else if err == nil || !strings.ContainsAny(name, "*?[") {
			files = append(files, name)
			continue
		}
		if strings.HasPrefix(filepath.Base(pattern), ".") {
			hidden = ""
		}
		found, err := filepath.Glob(pattern)
		found = slices.DeleteFunc(found, func(p string) bool { return strings.ContainsAny(filepath.Base(p)[:1], hidden) })
		if i := slices.IndexFunc(found, isFolder); i >= 0 {
			return nil, fmt.Errorf("%s is a folder, which is not searched: say %s for the files in such folders, or name files alone", found[i], filepath.Join(pattern, "*"))
		}
		if err != nil || len(found) == 0 {
			return nil, fmt.Errorf("there are no files %s", pattern)
		}
		files = append(files, found...)
	}
	return files, nil
}

func isFolder(name string) bool {
	st, err := os.Stat(name)
	return err == nil && st.IsDir()
}

// quoteMeta makes the name of a folder a pattern of this folder alone, on Windows, too, where a
// pattern cannot quote by a backslash.
var quoteMeta = strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]")

// addColumns adds a list of columns without splitting it, because the names of columns may have
// commas.
func addColumns(columns []string, text string) ([]string, error) {
	_, err := addList(nil, text)
	return append(columns, text), err
}

// addList adds the items of a list. The list is split like a line of CSV, so an item in quotes
// may have commas: "a,b",c.
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
