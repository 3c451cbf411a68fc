// Command release writes a version into every go.mod of the tree, and into its go.work, and
// says how to tag it, by default of the checkout that bench stands in:
//
//	go -C bench run ./release v1.2.3
//
// Its test builds the modules as a module proxy would, and installs from them what users do.
package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

const library = "github.com/rffgo/rff"

// inside are the modules that nobody but this tree uses, and that no release tags.
var inside = []string{library + "/asm/_gen", library + "/bench", library + "/bench/gonum/gomlx", library + "/python/lib"}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 || semver.Canonical(args[0]) != args[0] {
		return fmt.Errorf("want one version, such as v1.2.3, not %q", args)
	}
	version, root := args[0], ".."
	all, err := modules(root)
	if err != nil {
		return err
	}
	files := []string{"go.work", filepath.Join("bench", "go.mod")}
	var tags []string
	for _, m := range all {
		files = append(files, filepath.Join(m.folder(), "go.mod"))
		tags = append(tags, m.tag(version))
	}
	for _, f := range files {
		f = filepath.Join(root, f)
		text, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		if err := os.WriteFile(f, released(text, version), 0o666); err != nil {
			return err
		}
	}
	python := fmt.Sprintf("__version__ = %q\n", strings.TrimPrefix(version, "v"))
	if err := os.WriteFile(filepath.Join(root, "python", "rff", "_version.py"), []byte(python), 0o666); err != nil {
		return err
	}
	fmt.Printf("Commit this, and when it has passed tag that commit, and push all tags at once:\n\n  for t in %s; do git tag $t; done\n  git push --atomic origin %[1]s\n", strings.Join(tags, " "))
	return nil
}

// module is one that a release tags.
type module struct {
	path  string
	names []string // the modules of this tree that it names
}

// folder is where it stands below the root.
func (m module) folder() string {
	return filepath.FromSlash(path.Join(".", strings.TrimPrefix(m.path, library)))
}

// tag is what the go command looks for.
func (m module) tag(version string) string {
	return strings.TrimPrefix(path.Join(strings.TrimPrefix(m.path, library), version), "/")
}

// modules returns the modules that a release tags, each after those that it names: whoever
// can't push all tags at once pushes them in this order.
func modules(root string) ([]module, error) {
	var left, out []module
	err := filepath.WalkDir(root, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.Name() != "go.mod" {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		f, err := modfile.Parse(name, text, nil)
		if err != nil {
			return err
		}
		m := module{path: f.Module.Mod.Path}
		if !strings.HasPrefix(m.path+"/", library+"/") || slices.Contains(inside, m.path) {
			return nil
		}
		if len(f.Replace) > 0 {
			return fmt.Errorf("%s replaces modules: go install of a version would refuse it", name)
		}
		for _, r := range f.Require {
			if strings.HasPrefix(r.Mod.Path+"/", library+"/") {
				m.names = append(m.names, r.Mod.Path)
			}
		}
		left = append(left, m)
		return nil
	})
	for len(left) > 0 && err == nil {
		i := slices.IndexFunc(left, func(m module) bool {
			return !slices.ContainsFunc(left, func(other module) bool { return slices.Contains(m.names, other.path) })
		})
		if i < 0 {
			return nil, fmt.Errorf("modules name each other in a circle: %v", left)
		}
		out, left = append(out, left[i]), slices.Delete(left, i, i+1)
	}
	return out, err
}

var named = regexp.MustCompile(`(\b` + regexp.QuoteMeta(library) + `(?:/[\w/]+)?) v\S+`)

// released puts the version in place of those that a go.mod or go.work gives modules of this
// tree.
func released(text []byte, version string) []byte {
	return named.ReplaceAll(text, []byte("${1} "+version))
}
