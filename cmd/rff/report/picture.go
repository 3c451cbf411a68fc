package report

import (
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/rffgo/rff/cmd/rff/compare"
)

// openPicture begins an SVG picture with a title at the top left. It needs no other files, and is
// light or dark as its reader prefers.
func openPicture(b *strings.Builder, title string, width, height int, style string) {
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img">
<title>%s</title>
<style>
svg { %s background: var(--paper); }
@media (prefers-color-scheme: dark) { svg { %s } }
%s
text.title { font: 600 13px system-ui, sans-serif; fill: var(--ink); }
</style>
<rect width="100%%" height="100%%" style="fill: var(--paper)"/>
<text class="title" x="12" y="20">%s</text>
`, width, height, width, height, html.EscapeString(title), variables(lightPaper, lightColors), variables(darkPaper, darkColors), style, html.EscapeString(title))
}

// WriteSVG draws the chart with its title and the names of its curves as a picture.
func (c *Chart) WriteSVG(w io.Writer) error {
	var rules []string
	for line := range strings.Lines(styleText) {
		if strings.HasPrefix(line, "svg ") {
			rules = append(rules, strings.TrimSpace(line))
		}
	}
	const row, column = 20, 150
	columns := (width - 20) / column
	head := 32 + row*((len(c.Series)+columns-1)/columns)
	var b strings.Builder
	openPicture(&b, c.Title, width, head+height, strings.Join(rules, "\n"))
	for i, s := range c.Series {
		x, y := 12+column*(i%columns), 30+row*(i/columns)
		fmt.Fprintf(&b, `<g transform="translate(%d %d)">%s<text class="name" x="36" y="11">%s</text></g>`+"\n", x, y, keyOf(s), html.EscapeString(brief(s.Name)))
	}
	fmt.Fprintf(&b, "<g transform=\"translate(0 %d)\">%s</g>\n</svg>\n", head, strings.Replace(c.svg(), "<svg ", fmt.Sprintf(`<svg width="%d" height="%d" `, width, height), 1))
	_, err := io.WriteString(w, b.String())
	return err
}

// WritePicture draws the scores of a comparison by the number of features.
func WritePicture(w io.Writer, r *compare.Result) error {
	c := charts(grouped(r, r.Measures()), r)[0]
	c.Title = c.Title + ", " + r.Data
	return c.WriteSVG(w)
}
