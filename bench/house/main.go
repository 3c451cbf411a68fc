// Command house prints measures of how the tree is built, by default of the checkout that
// bench stands in:
//
//	go -C bench run ./house
//
// Its tests hold what they can hold: a measure may only get better.
package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// Stable are the folders of the packages whose exported names are promised.
var Stable = []string{".", "sampling", "krr", "dataset", "quality"}

func main() {
	root := ".."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	if err := measures(root); err != nil {
		fmt.Fprintln(os.Stderr, "house:", err)
		os.Exit(1)
	}
}

func measures(root string) error {
	row := func(what string, values ...any) {
		fmt.Printf("%-72s %s\n", what, strings.Trim(fmt.Sprint(values...), "[]"))
	}
	var names, unstable int
	fields := map[string]int{}
	for _, folder := range Stable {
		p, err := read(root, folder)
		if err != nil {
			return err
		}
		api := p.api()
		names += api.names
		unstable += len(api.unstable)
		fields[folder] = api.fields
	}
	row("exported names with methods in the stable packages", names)
	row("public declarations of stable packages that show unstable types", unstable)
	row("exported struct fields: krr, dataset", fields["krr"], fields["dataset"])
	for _, folder := range []string{"krr", "blas", "cmd/rff", "dataset", "asm", "sampling"} {
		p, err := read(root, folder)
		if err != nil {
			return err
		}
		row("arrows back up between files: "+folder, p.arrowsBack())
	}
	files, err := sources(root)
	if err != nil {
		return err
	}
	long := longFunctions(files, 0)
	row("longest function outside generators", long[0])
	lines := map[string]int{} // by module
	knows := map[string]int{}
	for _, f := range files {
		lines[f.module] += strings.Count(f.text, "\n")
		if f.module != "." {
			continue
		}
		for _, word := range []string{"landmark", "hardweight", "hard row"} {
			if !strings.HasPrefix(f.path, "asm/") && strings.Contains(strings.ToLower(f.text), word) {
				knows[word]++
			}
		}
	}
	row("lines of Go besides tests in the module that users import", lines["."])
	delete(lines, ".")
	for _, folder := range slices.Sorted(maps.Keys(lines)) {
		row("lines of Go besides tests in the module "+folder, lines[folder])
	}
	row("files outside asm that know landmarks", knows["landmark"])
	row("files outside asm that know hard rows", max(knows["hardweight"], knows["hard row"]))
	return nil
}
