package cells

import (
	"strings"
	"testing"
	"time"
)

// Every layout of the time package that people write is read as that package reads it.
func TestParseStamp(t *testing.T) {
	layouts := []string{"2006-01-02", "2006/01/02", "2006.01.02", "2006/1/2", "2006-01", "2006-Jan-02", "20060102T150405", "20060102T150405Z0700",
		time.RFC3339, time.RFC3339Nano, "2006-01-02 15:04", "2006-01-02 15:04:05", "2006-01-02 15:04:05.000000", "2006-01-02 15:04:05,000", "2006-01-02 15:04:05-07:00", "2006-01-02 15:04:05 MST",
		"2006-01-02T15:04", "02.01.2006", "2.1.2006 15:04", "02.01.06", "02 Jan 2006", "2 January 2006", "02-Jan-2006", "02-Jan-06 15:04:05", "January 2, 2006", "Jan 2, 2006 3:04 PM", "Jan 2 2006",
		time.RFC1123, time.RFC1123Z, time.ANSIC, time.UnixDate, "02/Jan/2006:15:04:05 -0700", "15:04", "15:04:05", "15:04:05.000", "3:04 PM", "3:04:05PM", "Monday, 2 January 2006"}
	for _, layout := range layouts {
		for _, at := range []time.Time{time.Date(2024, 2, 29, 13, 7, 9, 123e6, time.UTC), time.Date(1969, 12, 31, 0, 59, 59, 0, time.UTC), time.Date(2001, 11, 3, 12, 0, 0, 0, time.UTC)} {
			if strings.Contains(layout, "-07") || strings.Contains(layout, "Z07") {
				at = at.In(time.FixedZone("", -(9*3600 + 1800)))
			}
			text := at.Format(layout)
			want, err := time.Parse(layout, text)
			if err != nil {
				t.Fatal(layout, err)
			}
			s, ok := ParseStamp([]byte(text))
			if !ok {
				t.Errorf("%s: %q is not read", layout, text)
				continue
			}
			clock := s.Year == 0
			seconds, need := Time{Zone: s.Zone, Clock: clock}.Seconds(s)
			exact := want.Unix()
			if clock {
				exact = mod(exact, day)
			}
			if need != "" || seconds != exact || s.Nanos != int64(want.Nanosecond()) {
				t.Errorf("%s: %q is %d s %d ns (%s), want %v", layout, text, seconds, s.Nanos, need, want)
			}
		}
	}
	for _, text := range []string{"", "2024", "1.5", "1,5", "20240131", "2024-13-01", "2024-02-30", "31/04/2024", "32.1.2024", "0.1.2024", "2024-01-01 25:00", "2024-01-01 10:60", "2024-01-01T", "2024-01-01 10", "10:00 2024", "12:61", "13:00 PM", "0:30 AM",
		"Mai 3, 2024", "3 foo 2024", "2024-01-01 10:00:00 CET", "1-2-3-4", "192.168.0.1", "2024-01-01 10:00:00+2", "a-b-c", "2024-01-01 10:00x", "555-12-2024", "1/2", "Mon", "Monday", "2024-1", "12:30:15:10", "31 12 2024", "31.x.2024", "12345", "Mon, ", ":12:30", "123:10", "2024-01-01 24:01"} {
		s, ok := ParseStamp([]byte(text))
		if ok && text != "2024-1" {
			t.Errorf("%q is read as %+v", text, s)
		}
	}
	for text, want := range map[string]time.Time{"31 Dec. 2024": time.Date(2024, 12, 31, 0, 0, 0, 0, time.UTC), "Mon. 1 Jan. 2024 24:00": time.Date(2024, 1, 2, 0, 0, 0, 0, time.UTC)} {
		s, ok := ParseStamp([]byte(text))
		if seconds, need := (Time{}).Seconds(s); !ok || need != "" || seconds != want.Unix() {
			t.Errorf("%q is %d s (%v, %s), want %v", text, seconds, ok, need, want)
		}
	}
	for text, order := range map[string]string{"3/4/2024": "", "3-4-24": "", "13/1/2024": "mdy"} {
		s, ok := ParseStamp([]byte(text))
		if _, need := (Time{Order: order}).Seconds(s); !ok || need == "" {
			t.Errorf("%q in the order %q: %v", text, order, ok)
		}
	}
}

// Units of files that store columns are moments to the nanosecond.
func TestStampAt(t *testing.T) {
	at := time.Date(1931, 5, 6, 23, 59, 58, 999e6, time.UTC)
	for _, c := range []struct {
		v      float64
		perDay int64
		want   time.Time
	}{{float64(at.UnixMilli()), day * 1e3, at}, {float64(at.UnixMicro()), day * 1e6, at}, {float64(at.Unix()), day, at.Truncate(time.Second)}, {-14120, 1, time.Date(1931, 5, 6, 0, 0, 0, 0, time.UTC)}} {
		s := StampAt(c.v, c.perDay, false, false)
		seconds, need := Time{}.Seconds(s)
		if need != "" || seconds != c.want.Unix() || s.Nanos != int64(c.want.Nanosecond()) || s.Clock != (c.perDay > 1) {
			t.Errorf("%g of %d a day: %d %d %s, want %v", c.v, c.perDay, seconds, s.Nanos, need, c.want)
		}
	}
}

// A stamp is shown as a text that means the same.
func TestStampInWords(t *testing.T) {
	for _, c := range []struct {
		v           float64
		perDay      int64
		zone, clock bool
		want        string
	}{
		{1609459261.5e6, day * 1e6, true, false, "2021-01-01 00:01:01.5Z"},
		{1609459261, day, false, false, "2021-01-01 00:01:01"},
		{-719528, 1, false, false, "0000-01-01"},
		{61e3, day * 1e3, false, true, "00:01:01"},
	} {
		s := StampAt(c.v, c.perDay, c.zone, c.clock)
		if back, ok := ParseStamp([]byte(s.String())); s.String() != c.want || !ok || back != s {
			t.Errorf("%q, want %q; read again %v, %+v of %+v", s, c.want, ok, back, s)
		}
	}
}

// Days and their fraction, as a program has them, are the same inputs as the text.
func TestTimeOfNumber(t *testing.T) {
	kind := Time{Hour: true, Weekday: true, YearDay: true}
	of, text := make([]float64, 4), make([]float64, 4)
	for _, at := range []string{"2024-02-29 18:00", "1969-12-31 12:00", "1970-01-01"} {
		if need := kind.Text(text, []byte(at)); need != "" {
			t.Fatal(need)
		}
		if need := kind.Number(of, text[0]); need != "" || of[1] != text[1] || of[2] != text[2] || of[3] != text[3] {
			t.Errorf("%s: %v, of the number %v %s", at, text, of, need)
		}
	}
	if kind.Text(text, []byte("2024-02-29 18:00")); text[1] != 18 || text[2] != 3 || text[3] != 60 {
		t.Errorf("a Thursday, day 60: %v", text)
	}
}

// The year before the year 1 is one: a time with it has a date, and is no time of day.
func TestYearNought(t *testing.T) {
	to := make([]float64, 1)
	if need := (Time{}).Text(to, []byte("0000-01-01 12:00")); need != "" || to[0] != -719527.5 { // 719,528 days before 1970
		t.Errorf("%v %s", to, need)
	}
	if need := (Time{Clock: true}).Text(to, []byte("0000-01-01 12:00")); need == "" {
		t.Errorf("a time of day: %v", to)
	}
}
