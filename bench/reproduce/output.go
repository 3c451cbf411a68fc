package reproduce

import (
	"encoding/json"
	"io"
	"path/filepath"

	"github.com/rffgo/rff/bench/writeup"
	"github.com/rffgo/rff/cmd/rff/report"
	"github.com/rffgo/rff/internal/atomicfile"
)

// RecordPath is the file of the finished cells of a protocol in a folder.
func RecordPath(folder string, p *Protocol) string { return base(folder, p) + ".jsonl" }

func base(folder string, p *Protocol) string {
	return filepath.Join(folder, p.Experiment+"-"+p.Name)
}

// WithoutTimes returns the part of the result that data, options and seed decide.
func (r *Result) WithoutTimes() *Result {
	out := *r
	out.Cells = append([]Cell(nil), r.Cells...)
	for i := range out.Cells {
		out.Cells[i].Seconds, out.Cells[i].Machine = nil, ""
	}
	return &out
}

// Write writes the result into the folder as one HTML page, Markdown, CSV (the first
// table) and JSON, and returns their names.
func (r *Result) Write(folder string, about report.About) ([]string, error) {
	d := r.Protocol.Document(r)
	d.About = about
	var names []string
	for _, f := range []struct {
		extension string
		write     func(io.Writer) error
	}{
		{".html", d.WriteHTML},
		{".md", d.WriteMarkdown},
		{".csv", d.Tables[0].WriteCSV},
		{".json", func(w io.Writer) error { return r.writeJSON(w, d) }},
	} {
		name := base(folder, r.Protocol) + f.extension
		if err := atomicfile.Write(name, f.write); err != nil {
			return names, err
		}
		names = append(names, name)
	}
	return names, nil
}

// writeJSON writes the document and the cells.
func (r *Result) writeJSON(w io.Writer, d *writeup.Document) error {
	failures := map[string]string{}
	for k, why := range r.Failures {
		failures[k.String()] = why
	}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	e.SetEscapeHTML(false)
	return e.Encode(struct {
		Experiment string            `json:"experiment"`
		Protocol   string            `json:"protocol"`
		Version    int               `json:"version"`
		Seed       uint64            `json:"seed"`
		Planned    int               `json:"planned_cells"`
		Complete   bool              `json:"complete"`
		Missing    map[string]string `json:"no_data,omitempty"`
		Failures   map[string]string `json:"not_done,omitempty"`
		Document   *writeup.Document `json:"report"`
		Cells      []Cell            `json:"cells"`
	}{r.Protocol.Experiment, r.Protocol.Name, r.Protocol.Version, r.Options.Seed, len(r.Planned), r.Complete(), r.Missing, failures, d, r.Cells})
}
