package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"strings"
)

//go:embed style.css
var styleText string

// Style is the CSS that all pages share.
func Style() template.CSS {
	return template.CSS(fmt.Sprintf(":root { %s color-scheme: light dark; }\n@media screen and (prefers-color-scheme: dark) { :root { %s } }\n%s",
		variables(lightPaper, lightColors), variables(darkPaper, darkColors), styleText))
}

// Curves differ by colour, marker and dashes, so that people who see no colours, and readers of
// a print, can tell them apart. Every colour has a contrast of at least 4.5 with its paper. The
// light colours are for dark screens.
var (
	lightColors = []string{"#1f5fa8", "#b8233a", "#1a7a35", "#8a5a00", "#8e2a7c", "#00708a", "#5a6068", "#3a2f98", "#a8400f", "#4f6b00", "#c2187a"}
	darkColors  = []string{"#7db4f0", "#ff8f98", "#6fd08a", "#e0b04c", "#e59adb", "#5fcde0", "#b4bac2", "#b0a6ff", "#ff9f68", "#b4cc55", "#ff8ecb"}
)

// paper has the colours of the background, the text and the lines of a page.
type paper struct{ Ink, Soft, Line, Paper, Better, Worse, Code, Shade string }

var (
	lightPaper = paper{Ink: "#1d2329", Soft: "#56606a", Line: "#d9dee3", Paper: "#ffffff", Better: "#e2f1dc", Worse: "#fbe6e3", Code: "#f3f5f7", Shade: "#9aa4ae"}
	darkPaper  = paper{Ink: "#e6e9ec", Soft: "#a2adb7", Line: "#39424b", Paper: "#15191d", Better: "#22301f", Worse: "#3a2320", Code: "#1f252b", Shade: "#6b7681"}
)

// variables writes a palette as CSS variables.
func variables(p paper, colors []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "--ink: %s; --soft: %s; --line: %s; --paper: %s; --better: %s; --worse: %s; --code: %s; --shade: %s;", p.Ink, p.Soft, p.Line, p.Paper, p.Better, p.Worse, p.Code, p.Shade)
	for i, c := range colors {
		fmt.Fprintf(&b, " --c%d: %s;", i, c)
	}
	return b.String()
}

func colorOf(i int) string { return fmt.Sprintf("var(--c%d)", i%len(lightColors)) }

// The numbers of colours, markers and dashes have no common divisor, so 308 curves differ.
var dashes = []string{"", "7 4", "2 3", "9 3 2 3"}

const markers = 7

// marker draws the i-th marker around a point.
func marker(i int, x, y float64) string {
	path := func(points ...float64) string {
		var b strings.Builder
		for k := 0; k < len(points); k += 2 {
			fmt.Fprintf(&b, "%s%.1f %.1f", map[bool]string{true: "M", false: "L"}[k == 0], x+points[k], y+points[k+1])
		}
		return fmt.Sprintf(`<path class="point" d="%sZ"/>`, b.String())
	}
	switch i % markers {
	case 0:
		return fmt.Sprintf(`<circle class="point" cx="%.1f" cy="%.1f" r="3.6"/>`, x, y)
	case 1:
		return path(-3.3, -3.3, 3.3, -3.3, 3.3, 3.3, -3.3, 3.3)
	case 2:
		return path(0, -4.4, 4.2, 3.2, -4.2, 3.2)
	case 3:
		return path(0, -4.8, 4.8, 0, 0, 4.8, -4.8, 0)
	case 4:
		return path(0, 4.4, 4.2, -3.2, -4.2, -3.2)
	case 5:
		return path(-1.4, -4.4, 1.4, -4.4, 1.4, -1.4, 4.4, -1.4, 4.4, 1.4, 1.4, 1.4, 1.4, 4.4, -1.4, 4.4, -1.4, 1.4, -4.4, 1.4, -4.4, -1.4, -1.4, -1.4)
	}
	return fmt.Sprintf(`<circle class="point hollow" cx="%.1f" cy="%.1f" r="3.4"/>`, x, y)
}

// key is the sample of a curve for the legend and the table.
func key(i int) string {
	return fmt.Sprintf(`<svg class="key" viewBox="0 0 30 12" width="30" height="12" aria-hidden="true" focusable="false"><g style="--c: %s"><path class="curve" stroke-dasharray="%s" d="M1 6L29 6"/>%s</g></svg>`,
		colorOf(i), dashes[i%len(dashes)], marker(i, 15, 6))
}

// keyOf is the sample of a curve as it is drawn.
func keyOf(s Series) template.HTML {
	switch {
	case s.Apart || s.Cloud:
		return template.HTML(point(s.Style))
	case s.Bare:
		return template.HTML(fmt.Sprintf(`<svg class="key" viewBox="0 0 30 12" width="30" height="12" aria-hidden="true" focusable="false"><path class="curve" style="--c: %s" stroke-dasharray="%s" d="M1 6L29 6"/></svg>`,
			colorOf(s.Style), dashes[s.Style%len(dashes)]))
	}
	return template.HTML(key(s.Style))
}

// point is the sample of a marker alone.
func point(i int) string {
	return fmt.Sprintf(`<svg class="key" viewBox="0 0 12 12" width="12" height="12" aria-hidden="true" focusable="false"><g style="--c: %s">%s</g></svg>`,
		colorOf(i), marker(i, 6, 6))
}
