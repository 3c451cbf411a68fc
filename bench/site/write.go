package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/rffgo/rff/cmd/rff/report"
)

//go:embed page.html site.css search.js
var texts embed.FS

var look = template.Must(report.Shared(nil).ParseFS(texts, "page.html"))

// write writes the site to a folder.
func (s *site) write(dir string) error {
	for _, p := range s.pages {
		var b bytes.Buffer
		if err := look.ExecuteTemplate(&b, "page.html", struct {
			*page
			Sections []*section
		}{p, s.sections}); err != nil {
			return err
		}
		if err := put(dir, p.Path, b.Bytes()); err != nil {
			return err
		}
		if err := put(dir, p.Markdown(), p.source); err != nil {
			return err
		}
		for _, name := range p.images {
			if from := s.imageOf(p, name); from != "" {
				if err := copyFile(filepath.Join(dir, filepath.FromSlash(path.Dir(p.Path)), p.imagePath(name)), from); err != nil {
					return err
				}
			}
		}
		for _, l := range p.links {
			if from := s.fileAt(l.path); from != "" && !strings.HasSuffix(l.path, ".html") {
				if err := copyFile(filepath.Join(dir, filepath.FromSlash(l.path)), from); err != nil {
					return err
				}
			}
		}
	}
	return s.writeRest(dir)
}

// writeRest writes what the pages share.
func (s *site) writeRest(dir string) error {
	style, err := texts.ReadFile("site.css")
	if err != nil {
		return err
	}
	script, err := texts.ReadFile("search.js")
	if err != nil {
		return err
	}
	index, err := s.index()
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{"style.css": append([]byte(report.Style()), style...), "search.js": script, "index.js": index, "llms.txt": s.llms(), "rff.1": s.man()} {
		if err := put(dir, name, text); err != nil {
			return err
		}
	}
	return nil
}

func put(dir, name string, text []byte) error {
	name = filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o666)
}

// index is what the search looks through: for each heading of each page its path, title
// and text.
func (s *site) index() ([]byte, error) {
	var all [][4]string
	for _, p := range s.pages {
		for _, x := range p.Parts {
			to := p.Path
			if x.Level > 1 {
				to += "#" + x.ID
			}
			all = append(all, [4]string{to, p.Title, x.Title, x.Text})
		}
	}
	text, err := json.Marshal(all)
	return append(append([]byte("found("), text...), ");\n"...), err
}

// llms is the list of pages for programs that read (llmstxt.org).
func (s *site) llms() []byte {
	var b bytes.Buffer
	for _, p := range s.pages {
		if p.Path == "index.html" {
			fmt.Fprintf(&b, "# rff\n\n> %s\n", p.Lead())
		}
	}
	for _, x := range s.sections {
		fmt.Fprintf(&b, "\n## %s\n\n", x.Title)
		for _, p := range x.Pages {
			fmt.Fprintf(&b, "- [%s](%s): %s\n", p.Title, p.Markdown(), p.Lead())
		}
	}
	return b.Bytes()
}
