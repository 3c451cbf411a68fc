// Package writeup writes reports of experiments: words, plots and tables.
package writeup

import (
	"embed"
	"encoding/csv"
	"fmt"
	"html/template"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/rffgo/rff/cmd/rff/report"
)

//go:embed document.html
var text embed.FS

var page = template.Must(report.Shared(template.FuncMap{"number": func(v *float64) string { return number(*v) }}).ParseFS(text, "*.html"))

// Document is a report of an experiment.
type Document struct {
	Title    string          `json:"title"`
	Lead     []string        `json:"lead"`     // paragraphs
	Findings []string        `json:"findings"` // paragraphs
	Charts   []*report.Chart `json:"charts"`
	Tables   []*Table        `json:"tables"`
	Notes    []string        `json:"notes"` // below the tables
	About    report.About    `json:"about"`
}

// Table is a table of a document. Its first column names the rows.
type Table struct {
	Caption string    `json:"caption"`
	Head    []string  `json:"head"`
	Rows    [][]Entry `json:"rows"`
}

// Entry is a place in a table.
type Entry struct {
	Text   string   `json:"text"`
	Value  *float64 `json:"value,omitempty"` // what Text rounds, and the table is sorted by
	Better bool     `json:"better,omitempty"`
	Worse  bool     `json:"worse,omitempty"`
}

// Word is an entry that is no number.
func Word(text string) Entry { return Entry{Text: text} }

// Number is an entry of v, written as the format says.
func Number(format string, v float64, more ...any) Entry {
	return Entry{Text: fmt.Sprintf(format, append([]any{v}, more...)...), Value: &v}
}

// Deviation is an entry of a standard deviation, which one repetition has none of.
func Deviation(format string, v float64, reps int) Entry {
	if reps < 2 {
		return Word("")
	}
	return Number(format, v)
}

// Words says of every column whether it has words, which begin at the left, and no
// numbers.
func (t *Table) Words() []bool {
	all := make([]bool, len(t.Head))
	for j := range t.Head {
		for _, row := range t.Rows {
			e := row[j]
			if e.Value != nil || e.Text != "" && !unicode.IsLetter([]rune(e.Text)[0]) {
				all[j] = false
				break
			}
			all[j] = all[j] || e.Text != ""
		}
	}
	all[0] = true
	return all
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// legend lists once the curves of all charts that do not name theirs.
func (d *Document) legend() []report.Series {
	var all []report.Series
	seen := map[string]bool{}
	for _, c := range d.Charts {
		for _, s := range c.Series {
			if !c.Ends && !seen[s.Name] {
				seen[s.Name] = true
				all = append(all, report.Series{Name: s.Name, Style: s.Style})
			}
		}
	}
	return all
}

// WriteHTML writes the document as one page.
func (d *Document) WriteHTML(w io.Writer) error {
	for i, c := range d.Charts {
		c.ID = fmt.Sprintf("chart%d", i+1)
	}
	return page.ExecuteTemplate(w, "document.html", struct {
		D      *Document
		Legend []report.Series
	}{d, d.legend()})
}

// WriteMarkdown writes the words and the tables.
func (d *Document) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	cell := strings.NewReplacer("|", `\|`, "\n", " ").Replace
	paragraphs := func(all []string) {
		for _, p := range all {
			fmt.Fprintf(&b, "%s\n\n", p)
		}
	}
	fmt.Fprintf(&b, "# %s\n\n", d.Title)
	paragraphs(d.Lead)
	if len(d.Findings) > 0 {
		b.WriteString("## What was found\n\n")
		paragraphs(d.Findings)
	}
	for _, t := range d.Tables {
		fmt.Fprintf(&b, "## %s\n\n|", t.Caption)
		for _, h := range t.Head {
			fmt.Fprintf(&b, " %s |", cell(h))
		}
		b.WriteString("\n|")
		for _, words := range t.Words() {
			if words {
				b.WriteString("---|")
			} else {
				b.WriteString("---:|")
			}
		}
		b.WriteString("\n")
		for _, row := range t.Rows {
			b.WriteString("|")
			for _, e := range row {
				fmt.Fprintf(&b, " %s |", cell(e.Text))
			}
			b.WriteString("\n")
		}
		b.WriteString("\n")
	}
	paragraphs(d.Notes)
	for _, line := range lines(&d.About) {
		fmt.Fprintf(&b, "- %s: %s\n", line[0], line[1])
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// lines are what a says, by name.
func lines(a *report.About) [][2]string {
	var out [][2]string
	if a.Command != "" {
		out = append(out, [2]string{"Command", "`" + a.Command + "`"})
	}
	if a.Version != "" {
		out = append(out, [2]string{"Version", "rff " + a.Version})
	}
	if !a.Date.IsZero() {
		out = append(out, [2]string{"Date", a.Date.Format("2 January 2006, 15:04 MST")})
	}
	if a.Machine != "" {
		out = append(out, [2]string{"Machine", a.Machine})
	}
	return out
}

// WriteCSV writes a table, with its numbers unrounded.
func (t *Table) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	c.Write(t.Head)
	for _, row := range t.Rows {
		line := make([]string, len(row))
		for i, e := range row {
			if line[i] = e.Text; e.Value != nil {
				line[i] = number(*e.Value)
			}
		}
		c.Write(line)
	}
	c.Flush()
	return c.Error()
}
