package main

import (
	"cmp"
	"html/template"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// A section of the site has the pages of a folder below docs, and what filed puts there.
type section struct {
	Folder, Title string
	Pages         []*page
}

func sections() []*section {
	return []*section{
		{Folder: "tutorial", Title: "Tutorial"}, {Folder: "howto", Title: "How to"}, {Folder: "gallery", Title: "Gallery"},
		{Folder: "explain", Title: "How it works"}, {Folder: "reference", Title: "Reference"},
		{Folder: "results", Title: "Results"}, {Folder: "project", Title: "The project"},
	}
}

// filed are the sections of pages that stand outside of the folders of sections.
var filed = map[string]string{
	"docs/choosing.md": "howto", "docs/scale.md": "howto", "docs/slurm.md": "howto", "docs/intervals.md": "explain", "docs/samplers.md": "explain", "docs/exact.md": "explain",
	"docs/api.md": "reference", "docs/model-format.md": "reference", "docs/data.md": "reference",
	"ARCHITECTURE.md": "project", "CONTRIBUTING.md": "project", "CHANGELOG.md": "project", "SECURITY.md": "project", "beam/README.md": "howto", "examples/serve/README.md": "howto", "python/README.md": "howto", "docs/gonum.md": "howto",
}

// page is a page of the site.
type page struct {
	File    string // below the root of the tree, with slashes: docs/howto/words.md
	Path    string // below the site: howto/words.html
	Title   string
	Section string // Folder of its section; "" for the first page
	Order   int    // within its section
	HTML    template.HTML
	Parts   []part // what its headings begin, for the search and the list of contents

	written  []byte // as the tree has it
	source   []byte // with what is generated
	node     ast.Node
	anchors  map[string]bool
	links    []link
	images   []string            // as the page names them
	blocks   map[ast.Node]*block // fenced blocks that the build runs or draws
	scratch  string              // folder that its commands ran in
	wrong    []string
	commands int
}

// part is a heading with the text below it.
type part struct {
	ID, Title string
	Level     int
	Text      string
}

// link is where a page leads to on the site.
type link struct{ path, anchor, as string }

// Root leads from the page to the folder of the site.
func (p *page) Root() string { return strings.Repeat("../", strings.Count(p.Path, "/")) }

// Markdown is where the text of the page stands on the site.
func (p *page) Markdown() string { return strings.TrimSuffix(p.Path, ".html") + ".md" }

// Head is the title, Rest what is below it.
func (p *page) Head() template.HTML { return p.HTML[:p.titleEnd()] }
func (p *page) Rest() template.HTML { return p.HTML[p.titleEnd():] }

func (p *page) titleEnd() int {
	const end = "</h1>\n"
	if i := strings.Index(string(p.HTML), end); i >= 0 {
		return i + len(end)
	}
	return 0
}

// Contents are the headings that a long page lists below its title.
func (p *page) Contents() (out []part) {
	for _, x := range p.Parts {
		if x.Level == 2 {
			out = append(out, x)
		}
	}
	if len(out) < 4 || p.Section == "" {
		return nil
	}
	return out
}

// Lead is the first paragraph as plain text.
func (p *page) Lead() string {
	if len(p.Parts) == 0 {
		return ""
	}
	lead, _, _ := strings.Cut(p.Parts[0].Text, "\n")
	return lead
}

// ordered is how a page says where it stands in its section: <!-- order: 3 -->.
var ordered = regexp.MustCompile(`<!-- order: (\d+) -->`)

// find returns the pages of the tree at root.
func find(root string) (pages []*page, err error) {
	add := func(file string) error {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if err != nil {
			return err
		}
		p := &page{File: file, Path: pathOf(file), Section: filed[file], Order: 1000, written: text}
		switch dir := path.Dir(file); {
		case p.Section != "" || file == "README.md":
		case dir == "bench":
			p.Section = "results"
		case strings.HasPrefix(dir, "docs/"):
			p.Section = path.Base(dir)
		}
		if m := ordered.FindSubmatch(text); m != nil {
			p.Order, _ = strconv.Atoi(string(m[1]))
		}
		pages = append(pages, p)
		return nil
	}
	files := []string{"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "beam/README.md", "examples/serve/README.md", "python/README.md"}
	results, err := filepath.Glob(filepath.Join(root, "bench", "RESULTS*.md"))
	if err != nil {
		return nil, err
	}
	for _, r := range results {
		files = append(files, "bench/"+filepath.Base(r))
	}
	err = filepath.WalkDir(filepath.Join(root, "docs"), func(name string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, ".md") {
			name, err = filepath.Rel(root, name)
			files = append(files, filepath.ToSlash(name))
		}
		return err
	})
	for _, f := range files {
		if err == nil {
			err = add(f)
		}
	}
	return pages, err
}

// pathOf is where a file of the tree stands on the site.
func pathOf(file string) string {
	file = strings.TrimPrefix(file, "docs/")
	if file == "README.md" {
		return "index.html"
	}
	if rest, ok := strings.CutSuffix(file, ".md"); ok {
		return rest + ".html"
	}
	return file
}

// file sorts pages into sections.
func file(pages []*page) (all []*section, lost []string) {
	all = sections()
	for _, p := range pages {
		i := slices.IndexFunc(all, func(s *section) bool { return s.Folder == p.Section })
		if i >= 0 {
			all[i].Pages = append(all[i].Pages, p)
		} else if p.Path != "index.html" {
			lost = append(lost, p.File+" is in no section (bench/site/page.go)")
		}
	}
	for _, s := range all {
		slices.SortStableFunc(s.Pages, func(a, b *page) int { return cmp.Or(a.Order-b.Order, cmp.Compare(a.Title, b.Title)) })
	}
	return slices.DeleteFunc(all, func(s *section) bool { return len(s.Pages) == 0 }), lost
}
