package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rffgo/rff/bench/numbers"
)

// check looks for links that lead nowhere and, if all commands ran, for numbers that no
// command printed.
func (s *site) check(ran bool) {
	byPath := map[string]*page{}
	for _, p := range s.pages {
		byPath[p.Path] = p
	}
	for _, p := range s.pages {
		for _, l := range p.links {
			target := byPath[l.path]
			switch {
			case target == nil && s.fileAt(l.path) == "":
				p.wrong = append(p.wrong, fmt.Sprintf("the link to %q leads to no page and no file", l.as))
			case target != nil && l.anchor != "" && !target.anchors[l.anchor]:
				p.wrong = append(p.wrong, fmt.Sprintf("the link to %q leads to no heading of %s", l.as, target.File))
			}
		}
		for _, name := range p.images {
			if ran && s.imageOf(p, name) == "" {
				p.wrong = append(p.wrong, fmt.Sprintf("there is no image %q: a command of the page writes it, or it is in the tree", name))
			}
		}
		if ran {
			p.wrong = append(p.wrong, p.numbers()...)
		}
		for _, w := range p.wrong {
			s.wrong = append(s.wrong, p.File+": "+w)
		}
	}
}

// fileAt returns the file of the tree that is copied to a path of the site, or "".
func (s *site) fileAt(name string) string {
	for _, dir := range []string{"docs", "."} {
		file := filepath.Join(s.root, dir, filepath.FromSlash(name))
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
			return file
		}
	}
	return ""
}

// printed are numbers as commands print them.
var printed = regexp.MustCompile(`\d[\d,]*(\.\d+)?(e[-+]?\d+)?`)

// numbers returns what measured numbers the prose of a page below docs has that none of its
// commands printed. A paragraph whose comment says where they are from (bench/numbers) is
// left to the tests there, and so is a page without commands.
func (p *page) numbers() (wrong []string) {
	var known []float64
	prints := false
	for _, b := range p.blocks {
		prints = prints || b.kind == "console" || len(b.info) > 0 && b.info[0] == "run"
		for _, c := range b.steps {
			for _, text := range printed.FindAllString(c.Printed, -1) {
				if v, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64); err == nil {
					known = append(known, v)
				}
			}
		}
	}
	if !prints {
		return nil
	}
	for _, paragraph := range numbers.Paragraphs(string(p.written)) {
		if len(paragraph.Origins) > 0 {
			continue
		}
		for _, said := range numbers.Measured.FindAllString(paragraph.Plain, -1) {
			if !slices.ContainsFunc(known, func(v float64) bool { return rounds(v, said) }) {
				wrong = append(wrong, fmt.Sprintf("no command of the page printed %q, and no comment says where it is from", said))
			}
		}
	}
	return wrong
}

// rounds reports whether v, with as many digits as said has, is said.
func rounds(v float64, said string) bool {
	said = strings.ReplaceAll(strings.TrimSuffix(said, " %"), ",", "")
	_, decimals, _ := strings.Cut(said, ".")
	return strconv.FormatFloat(v, 'f', len(decimals), 64) == said
}
