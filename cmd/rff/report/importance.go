package report

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"
)

// mostBars is the number of bars that are drawn, for the most important inputs. The other inputs
// share one bar.
const mostBars = 40

// WriteImportance draws the importance of inputs, shares of 1, as an SVG picture. Each input has
// a bar, and the largest comes first. The picture needs no other files.
func WriteImportance(w io.Writer, title string, names []string, shares []float64) error {
	type bar struct {
		name  string
		share float64
	}
	var bars []bar
	for i, v := range shares {
		bars = append(bars, bar{names[i], v})
	}
	slices.SortStableFunc(bars, func(a, b bar) int { return cmp.Compare(b.share, a.share) })
	if n := len(bars) - mostBars; n > 0 {
		var rest float64
		for _, b := range bars[mostBars:] {
			rest += b.share
		}
		bars = append(bars[:mostBars:mostBars], bar{fmt.Sprintf("%d more together", n), rest})
	}
	longest, most := 0, 0.0
	for i, b := range bars {
		bars[i].name = brief(b.name)
		longest, most = max(longest, len([]rune(bars[i].name))), max(most, b.share)
	}
	if !(most > 0) {
		most = 1
	}
	const row, head, foot, length, number = 22, 52, 16, 320, 64
	from := 16 + 8*longest // no letter is wider than 8 at 13 pixels, but few
	width, height := from+length+number, head+row*len(bars)+foot
	var b strings.Builder
	openPicture(&b, title, width, height, `text { font: 13px system-ui, sans-serif; fill: var(--ink); font-variant-numeric: tabular-nums; }
.note { font-size: 12px; fill: var(--soft); } .bar { fill: var(--c0); }`)
	b.WriteString(`<text class="note" x="12" y="38">how much the fit varies with each input, per standard deviation</text>` + "\n")
	for i, v := range bars {
		y := head + row*i
		long := float64(length) * v.share / most
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text><rect class="bar" x="%d" y="%d" width="%.1f" height="%d"/><text x="%.1f" y="%d">%.1f %%</text>`+"\n",
			from-8, y+15, html.EscapeString(v.name), from, y+3, long, row-6, float64(from)+long+6, y+15, 100*v.share)
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// brief shortens a long name to 32 letters. It keeps both ends, since names that begin alike, as
// those of the words of a column, differ in the last ones.
func brief(name string) string {
	if letters := []rune(name); len(letters) > 32 {
		return string(letters[:15]) + "…" + string(letters[len(letters)-16:])
	}
	return name
}
