package cells

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// What a column is follows from the counts of its cells, at each bound and beyond it.
func TestSettle(t *testing.T) {
	day := func(i int) string { return time.Unix(int64(i)*86400, 0).UTC().Format("2006-01-02") }
	hours := func(i int) string { return time.Unix(int64(i)*3600, 0).UTC().Format("2006-01-02 15:04") }
	for name, c := range map[string]struct {
		name string
		n    int
		cell func(i int) string
		set  func(c *Census)
		want string // of the kind, "" for one that is no input
	}{
		"numbers":             {"x", 40, func(i int) string { return fmt.Sprint(i) }, nil, "{false}"},
		"an id":               {"id", 11, func(i int) string { return fmt.Sprint(i) }, nil, ""},
		"an id of few rows":   {"id", 10, func(i int) string { return fmt.Sprint(i) }, nil, "{false}"},
		"an id that is kept":  {"id", 40, func(i int) string { return fmt.Sprint(i) }, func(c *Census) { c.Keep = true }, "{false}"},
		"an id that repeats":  {"id", 40, func(i int) string { return fmt.Sprint(i % 39) }, nil, "{false}"},
		"an id with a part":   {"id", 40, func(i int) string { return fmt.Sprint(float64(i) / 2) }, nil, "{false}"},
		"half are different":  {"job", 40, func(i int) string { return fmt.Sprint("w", i%20) }, nil, "20 words"},
		"more are different":  {"job", 40, func(i int) string { return fmt.Sprint("w", i%21) }, nil, ""},
		"few words":           {"job", 10, func(i int) string { return fmt.Sprint("w", i) }, nil, "10 words"},
		"names that are kept": {"job", 40, func(i int) string { return fmt.Sprint("w", i) }, func(c *Census) { c.Keep = true }, "40 words"},
		"most words":          {"job", 2 * Most, func(i int) string { return fmt.Sprint("w", i/2) }, nil, fmt.Sprint(Most, " words")},
		"too many words":      {"job", 2*Most + 2, func(i int) string { return fmt.Sprint("w", i/2) }, nil, ""},
		"numbers told":        {"zip", 40, func(i int) string { return fmt.Sprint(i % 7) }, func(c *Census) { c.Told = true }, "7 words"},
		"as many numbers":     {"x", 40, func(i int) string { return []string{"a", "1"}[i%2] }, nil, "{false}"},
		"more words":          {"x", 41, func(i int) string { return []string{"a", "1"}[i%2] }, nil, "2 words"},
		"two weeks less":      {"when", 14, day, nil, "time"},
		"two weeks":           {"when", 15, day, nil, "time weekday"},
		"two years less":      {"when", 730, day, nil, "time weekday"},
		"two years":           {"when", 731, day, nil, "time weekday yearday"},
		"two days less":       {"when", 48, hours, nil, "time"},
		"two days":            {"when", 49, hours, nil, "time hour"},
		"noon of each day":    {"when", 9, func(i int) string { return fmt.Sprintf("%d/12/2024 12:00", 13+i) }, nil, "time"},
	} {
		census := NewCensus([]string{"NA"})
		if c.set != nil {
			c.set(census)
		}
		for i := range c.n {
			if need := census.Text(nil, []byte(c.cell(i))); need != "" {
				t.Fatalf("%s: %s", name, need)
			}
		}
		kind, note, need := census.Settle(c.name, "it")
		got := fmt.Sprint(kind)
		switch kind := kind.(type) {
		case nil:
			got = ""
			if !strings.Contains(note, "left out") {
				t.Errorf("%s: left out with %q", name, note)
			}
		case Words:
			got = fmt.Sprint(len(kind.Set), " words")
		case Time:
			got = strings.Join(kind.Parts(), " ")
		}
		if got != c.want || need != "" {
			t.Errorf("%s: %q (%s), want %q", name, got, need, c.want)
		}
	}
}

// The date that a refusal shows does not depend on the order of the rows.
func TestExampleOfDates(t *testing.T) {
	for _, cells := range [][]string{{"5/4/2024", "3/4/2024", "4/4/2024"}, {"3/4/2024", "4/4/2024", "5/4/2024"}} {
		census := NewCensus(nil)
		for _, cell := range cells {
			census.Text(nil, []byte(cell))
		}
		if _, _, need := census.Settle("when", "it"); !strings.Contains(need, `"3/4/2024"`) {
			t.Errorf("%q: %q", cells, need)
		}
	}
}
