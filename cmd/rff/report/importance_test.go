package report

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// TestImportance: well-formed, the largest first with the longest bar, names escaped,
// and inputs beyond the fortieth together.
func TestImportance(t *testing.T) {
	names, shares := []string{"a", "<b> & c"}, []float64{0.2, 0.5}
	for i := range 60 {
		names, shares = append(names, fmt.Sprintf("x%d", i)), append(shares, 0.005)
	}
	var b strings.Builder
	if err := WriteImportance(&b, "importance, of m&m", names, shares); err != nil {
		t.Fatal(err)
	}
	var texts, widths []string
	d := xml.NewDecoder(strings.NewReader(b.String()))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch v := token.(type) {
		case xml.CharData:
			if s := strings.TrimSpace(string(v)); s != "" {
				texts = append(texts, s)
			}
		case xml.StartElement:
			for _, a := range v.Attr {
				if v.Name.Local == "rect" && a.Name.Local == "width" {
					widths = append(widths, a.Value)
				}
			}
		}
	}
	all := strings.Join(texts, "|")
	for _, want := range []string{"importance, of m&m", "input, per standard deviation|<b> & c|50.0 %|a|20.0 %|x0|0.5 %", "22 more together|11.0 %"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in %s", want, all)
		}
	}
	if len(widths) != 42 || widths[1] != "320.0" || widths[2] != "128.0" || widths[41] != "70.4" {
		t.Errorf("bars are %v wide", widths)
	}
}

// A picture of a chart is well-formed by itself, and names its curves.
func TestChartPicture(t *testing.T) {
	c := &Chart{ID: "c", Title: "a < b", XLabel: "x", YLabel: "y", Series: []Series{
		{Name: "one & two", Points: []Point{{X: 1, Y: 2}, {X: 2, Y: 3}}}, {Name: "three", Style: 1, Points: []Point{{X: 1, Y: 1}}}}}
	var b strings.Builder
	if err := c.WriteSVG(&b); err != nil {
		t.Fatal(err)
	}
	d, names := xml.NewDecoder(strings.NewReader(b.String())), ""
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := token.(xml.CharData); ok {
			names += string(text) + "|"
		}
	}
	for _, want := range []string{"|a < b|", "|one & two|", "|three|", "--c1:", "svg .curve"} {
		if !strings.Contains(names, want) {
			t.Errorf("no %q in %s", want, names)
		}
	}
}

// Long names that begin alike, as those of the words of one column, can be told apart.
func TestLongNames(t *testing.T) {
	var b strings.Builder
	of := "the occupation of the respondent="
	if err := WriteImportance(&b, "t", []string{of + "nurse", of + "teacher", "at most thirty-two letters, kept"}, []float64{.5, .3, .2}); err != nil {
		t.Fatal(err)
	}
	for _, end := range []string{"=nurse</text>", "=teacher</text>", ">at most thirty-two letters, kept</text>"} {
		if !strings.Contains(b.String(), end) {
			t.Errorf("no name ends in %q:\n%s", end, b.String())
		}
	}
}
