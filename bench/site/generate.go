package main

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// generate returns the Markdown that stands in place of <!-- generated: name -->: commands,
// flags, errors, sources, or fields PACKAGE TYPE.
func (s *site) generate(name string) (string, error) {
	words := strings.Fields(name)
	switch {
	case name == "commands":
		return s.commandsText(), nil
	case name == "flags":
		return s.flagsText(), nil
	case name == "errors":
		return s.errorsText()
	case name == "sources":
		return s.sourcesText()
	case len(words) == 3 && words[0] == "fields":
		return s.fieldsText(words[1], words[2])
	}
	return "", fmt.Errorf("there is nothing of that name")
}

// plainMarkdown keeps characters of the help from being marks.
var plainMarkdown = strings.NewReplacer("*", `\*`, "_", `\_`, "<", `\<`, "|", `\|`, "[", `\[`).Replace

func (s *site) commandsText() string {
	var b strings.Builder
	for _, c := range s.help {
		fmt.Fprintf(&b, "## rff %s\n\n%s\n\n%s\n\n", c.Name, sentence(c.Short), plainMarkdown(c.Long))
		fmt.Fprintf(&b, "    %s\n\n", c.Usage)
		for _, g := range c.Groups {
			var names []string
			for _, o := range g.Flags {
				names = append(names, fmt.Sprintf("[`--%s`](flags.md#--%s)", o.Name, o.Name))
			}
			fmt.Fprintf(&b, "- %s: %s\n", g.Name, strings.Join(names, ", "))
		}
		b.WriteString("\nFor example:\n\n")
		for _, line := range c.Example {
			fmt.Fprintf(&b, "    %s\n", line)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// sentence begins with a capital and ends with a full stop.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.TrimSuffix(strings.ToUpper(text[:1])+text[1:], ".") + "."
}

func (s *site) flagsText() string {
	var b strings.Builder
	for _, g := range s.options() {
		fmt.Fprintf(&b, "## %s\n\n", g.Name)
		last := ""
		for _, o := range g.Flags {
			if o.Name != last { // else another meaning of the same
				fmt.Fprintf(&b, "### --%s\n\n", o.Name)
			}
			last = o.Name
			fmt.Fprintf(&b, "`--%s`: %s\n\n", strings.TrimSpace(o.Name+" "+o.Value), sentence(plainMarkdown(o.Text)))
			if o.Need != "" {
				fmt.Fprintf(&b, "- Its value %s.\n", plainMarkdown(o.Need))
			}
			switch {
			case o.Default != "":
				fmt.Fprintf(&b, "- Default: %s\n", plainMarkdown(o.Default))
			case o.Value == "":
				b.WriteString("- Default: off\n")
			}
			fmt.Fprintf(&b, "- Commands: %s\n\n", strings.Join(o.Commands, ", "))
		}
	}
	return b.String()
}

// documented parses a package with its comments.
func (s *site) documented(dir string) (*doc.Package, *token.FileSet, error) {
	files := token.NewFileSet()
	names, err := filepath.Glob(filepath.Join(s.root, dir, "*.go"))
	if err != nil {
		return nil, nil, err
	}
	var parsed []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(files, name, nil, parser.ParseComments)
		if err != nil {
			return nil, nil, err
		}
		parsed = append(parsed, f)
	}
	p, err := doc.NewFromFiles(files, parsed, "github.com/rffgo/rff/"+dir)
	return p, files, err
}

// zero is how comments of fields say what their zero value means.
var zero = regexp.MustCompile(`(?:^|[\s(])(?:0|nil|""|false|The zero \w+): ([^.]+)\.?`)

// fieldsText is a list of the fields of a struct: name, type, default and comment.
func (s *site) fieldsText(dir, name string) (string, error) {
	p, files, err := s.documented(dir)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(p.Types, func(t *doc.Type) bool { return t.Name == name })
	if i < 0 {
		return "", fmt.Errorf("%s has no type %s", dir, name)
	}
	fields, ok := p.Types[i].Decl.Specs[0].(*ast.TypeSpec).Type.(*ast.StructType)
	if !ok {
		return "", fmt.Errorf("%s is no struct", name)
	}
	var b strings.Builder
	for _, f := range fields.Fields.List {
		var kind strings.Builder
		printer.Fprint(&kind, files, f.Type)
		text := f.Doc.Text()
		if text == "" {
			text = f.Comment.Text()
		}
		for _, n := range f.Names {
			if !n.IsExported() {
				continue
			}
			fmt.Fprintf(&b, "### %s\n\n`%s %s`", n.Name, n.Name, kind.String())
			if m := zero.FindStringSubmatch(text); m != nil {
				fmt.Fprintf(&b, ", by default %s", plainMarkdown(strings.Join(strings.Fields(m[1]), " ")))
			}
			fmt.Fprintf(&b, "\n\n%s\n", plainMarkdown(text))
		}
	}
	return b.String(), nil
}

// errorsText is a table of the types of errors of the packages that users hold.
func (s *site) errorsText() (string, error) {
	var b strings.Builder
	b.WriteString("| type | what it says |\n|---|---|\n")
	for _, dir := range []string{".", "dataset", "krr"} {
		p, _, err := s.documented(dir)
		if err != nil {
			return "", err
		}
		for _, t := range p.Types {
			if slices.ContainsFunc(t.Methods, func(m *doc.Func) bool { return m.Name == "Error" }) {
				about := strings.Join(strings.Fields(t.Doc), " ")
				fmt.Fprintf(&b, "| `*%s.%s` | %s |\n", p.Name, t.Name, plainMarkdown(about))
			}
		}
	}
	return b.String(), nil
}
