package main

import (
	"bytes"
	"fmt"
	"html"
	"html/template"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	plain "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// anchors names headings as GitHub does, so that a link to one works in both places.
type anchors map[string]bool

func (a anchors) Generate(value []byte, _ ast.NodeKind) []byte {
	var b strings.Builder
	for _, r := range strings.ToLower(string(value)) {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			b.WriteRune(r)
		case r == ' ':
			b.WriteByte('-')
		}
	}
	id := b.String()
	for n := 1; a[id]; n++ {
		id = b.String() + "-" + strconv.Itoa(n)
	}
	a[id] = true
	return []byte(id)
}

func (a anchors) Put(value []byte) { a[string(value)] = true }

// generated marks the place of what the build writes from the code.
var generated = regexp.MustCompile(`(?m)^<!-- generated: (.*) -->$`)

// read parses a page: its title, its blocks, its links and its parts.
func (p *page) read(s *site) {
	p.source = generated.ReplaceAllFunc(p.written, func(mark []byte) []byte {
		name := string(generated.FindSubmatch(mark)[1])
		made, err := s.generate(name)
		if err != nil {
			p.wrong = append(p.wrong, fmt.Sprintf("<!-- generated: %s -->: %v", name, err))
		}
		return []byte(made)
	})
	p.anchors = map[string]bool{}
	context := parser.NewContext(parser.WithIDs(anchors(p.anchors)))
	p.node = markdown(p).Parser().Parse(text.NewReader(p.source), parser.WithContext(context))
	p.blocks = map[ast.Node]*block{}
	ast.Walk(p.node, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			p.heading(n)
		case *ast.FencedCodeBlock:
			p.fenced(n)
		case *ast.Link:
			n.Destination = []byte(p.leads(string(n.Destination)))
		case *ast.Image:
			p.images = append(p.images, string(n.Destination))
		}
		if n.Type() == ast.TypeBlock {
			p.add(n)
		}
		return ast.WalkContinue, nil
	})
	if p.Title == "" {
		p.wrong = append(p.wrong, "the page has no title (# …)")
	}
}

// markdown is the reader and writer of the page.
func markdown(p *page) goldmark.Markdown {
	return goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()),
		goldmark.WithRendererOptions(plain.WithUnsafe(), renderer.WithNodeRenderers(util.Prioritized(p, 10))))
}

// heading begins a part of the page.
func (p *page) heading(n *ast.Heading) {
	title := plainText(n, p.source)
	if n.Level == 1 && p.Title == "" {
		p.Title = title
	}
	id, _ := n.AttributeString("id")
	p.Parts = append(p.Parts, part{ID: string(id.([]byte)), Title: title, Level: n.Level})
}

// add adds the text of a block to the part that it stands in.
func (p *page) add(n ast.Node) {
	if len(p.Parts) == 0 {
		return
	}
	last := &p.Parts[len(p.Parts)-1]
	switch n.Kind() {
	case ast.KindParagraph, ast.KindTextBlock, tables.KindTableHeader, tables.KindTableRow:
		last.Text += plainText(n, p.source) + "\n"
	case ast.KindFencedCodeBlock, ast.KindCodeBlock:
		last.Text += string(n.Lines().Value(p.source)) + "\n"
	}
}

// plainText is the text in a node, without marks.
func plainText(n ast.Node, source []byte) string {
	var b strings.Builder
	ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch t := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(t.Segment.Value(source))
				if t.SoftLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.String:
			if entering {
				b.Write(t.Value)
			}
		case *tables.TableCell:
			if !entering {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.TrimSpace(b.String())
}

// fenced notes a block that the build has to do with.
func (p *page) fenced(n *ast.FencedCodeBlock) {
	if n.Info == nil {
		return
	}
	words := strings.Fields(string(n.Info.Segment.Value(p.source)))
	if len(words) == 0 || words[0] != "console" && words[0] != "go" && words[0] != "chart" {
		return
	}
	lines := strings.Split(strings.TrimRight(string(n.Lines().Value(p.source)), "\n"), "\n")
	p.blocks[n] = &block{kind: words[0], info: words[1:], lines: lines}
}

// inOrder returns the blocks as they follow each other.
func (p *page) inOrder() (all []*block) {
	ast.Walk(p.node, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if b := p.blocks[n]; entering && b != nil {
			all = append(all, b)
		}
		return ast.WalkContinue, nil
	})
	return all
}

// leads turns a link of the tree into one of the site.
func (p *page) leads(to string) string {
	if strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:") {
		return to
	}
	file, anchor, _ := strings.Cut(to, "#")
	target := p.Path
	if file != "" {
		target = pathOf(path.Join(path.Dir(p.File), file))
	}
	p.links = append(p.links, link{target, anchor, to})
	if file == "" {
		return to
	}
	target = p.Root() + target
	if anchor != "" {
		target += "#" + anchor
	}
	return target
}

// render writes the page as HTML.
func (p *page) render(*site) {
	var b bytes.Buffer
	if err := markdown(p).Renderer().Render(&b, p.source, p.node); err != nil {
		p.wrong = append(p.wrong, err.Error())
	}
	p.HTML = template.HTML(comments.ReplaceAllString(b.String(), ""))
}

var comments = regexp.MustCompile(`(?s)<!--.*?-->\n?`)

// RegisterFuncs says which nodes the page writes in its own way.
func (p *page) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, p.writeBlock)
	r.Register(tables.KindTable, writeTable)
	r.Register(ast.KindImage, p.writeImage)
	r.Register(ast.KindHeading, writeHeading)
}

func writeHeading(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	id, _ := n.AttributeString("id")
	level := n.(*ast.Heading).Level
	if entering {
		fmt.Fprintf(w, `<h%d id="%s">`, level, id)
	} else {
		fmt.Fprintf(w, ` <a class="anchor" href="#%s" aria-label="link to this heading">#</a></h%d>`+"\n", id, level)
	}
	return ast.WalkContinue, nil
}

// writeTable lets a table that is wider than the page scroll by itself.
func writeTable(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		w.WriteString(`<div class="scroll" role="region" aria-label="Table" tabindex="0"><table>` + "\n")
	} else {
		w.WriteString("</table></div>\n")
	}
	return ast.WalkContinue, nil
}

// writeImage writes a picture that a command of the page made, or that stands in the tree.
func (p *page) writeImage(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		image, text := n.(*ast.Image), html.EscapeString(plainText(n, source))
		fmt.Fprintf(w, `<figure><img src="%s" alt="%s"><figcaption>%s</figcaption></figure>`, html.EscapeString(p.imagePath(string(image.Destination))), text, text)
	}
	return ast.WalkSkipChildren, nil
}

// imagePath is where an image of the page stands, seen from the page: beside it, under a
// name of the page's own.
func (p *page) imagePath(name string) string {
	return strings.TrimSuffix(path.Base(p.Path), ".html") + "-" + path.Base(name)
}

// writeBlock writes a fenced block, with what the build made of it.
func (p *page) writeBlock(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	b := p.blocks[n]
	switch {
	case b == nil || b.kind == "go":
		fmt.Fprintf(w, `<pre tabindex="0"><code>%s</code></pre>`+"\n", html.EscapeString(string(n.Lines().Value(source))))
		if b != nil && len(b.steps) > 0 {
			fmt.Fprintf(w, `<pre class="printed" aria-label="what the program prints" tabindex="0"><samp>%s</samp></pre>`+"\n", html.EscapeString(b.steps[0].Printed))
		}
	case b.kind == "chart":
		w.WriteString(b.html)
	default:
		w.WriteString(`<pre class="console" tabindex="0">`)
		for _, c := range b.steps {
			fmt.Fprintf(w, `<kbd>%s</kbd>`+"\n", html.EscapeString(c.Command))
			said := c.Said
			if said == "" {
				said = c.Printed
			}
			if said = strings.TrimRight(said, "\n"); said != "" {
				fmt.Fprintf(w, "<samp>%s</samp>\n", html.EscapeString(said))
			}
		}
		w.WriteString("</pre>\n")
	}
	return ast.WalkContinue, nil
}
