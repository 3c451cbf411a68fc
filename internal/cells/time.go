package cells

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"time"
)

// Time is a column of dates and times. Its first input is the time, in days since
// 1970-01-01 00:00; the hour of the day, the weekday (Monday is 0) and the day of the
// year (from 1) follow if they are asked for. A column of times of day alone has the hour as
// its only input.
type Time struct {
	// Order is that of dates whose year stands last: "dmy" or "mdy". "" refuses them.
	Order                  string
	Zone                   bool // all times have a zone, and are taken in UTC; else none has
	Clock                  bool // times of day without a date
	Hour, Weekday, YearDay bool
}

func (t Time) Width() int {
	n := 1
	for _, further := range []bool{t.Hour, t.Weekday, t.YearDay} {
		if further {
			n++
		}
	}
	return n
}

func (Time) Gaps() bool { return true }

// Parts returns what each input is.
func (t Time) Parts() []string {
	parts := []string{"time"}
	for i, further := range []bool{t.Hour, t.Weekday, t.YearDay} {
		if further {
			parts = append(parts, []string{"hour", "weekday", "yearday"}[i])
		}
	}
	return parts
}

func (t Time) Text(to []float64, cell []byte) string {
	s, ok := ParseStamp(cell)
	if !ok {
		return "is no date or time: mend it, or leave the row out"
	}
	return t.Stamp(to, s)
}

func (t Time) Stamp(to []float64, s Stamp) string {
	seconds, need := t.Seconds(s)
	if need == "" {
		t.put(to, seconds, s.Nanos/1e3*1e3) // what files of columns have (columnar.Units)
	}
	return need
}

// Seconds returns the whole seconds of a stamp since 1970, or since midnight if it has no date.
// need says why the stamp does not belong to the column, if it does not.
func (t Time) Seconds(s Stamp) (seconds int64, need string) {
	switch {
	case t.Clock != (s.Month == 0):
		return 0, t.needs("has a date", "has no date", !t.Clock)
	case t.Zone != s.Zone && s.Clock:
		return 0, t.needs("has a time zone", "has no time zone", t.Zone)
	case s.Month == 0:
		return s.Seconds, ""
	}
	month, day := s.Month, s.Day
	if s.Numbers && t.Order == "" {
		return 0, "does not say which is the day and which the month: write 2024-01-31, or give the fit their order (DateOrder)"
	}
	if s.Numbers && t.Order == "dmy" {
		month, day = day, month
	}
	date := time.Date(s.Year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if date.Day() != day || int(date.Month()) != month {
		return 0, fmt.Sprintf("is no date in the order of the column, %s", t.Order)
	}
	return date.Unix() + s.Seconds - s.Offset, ""
}

// needs says that all cells must have something, or that none may have it.
func (Time) needs(has, lacks string, all bool) string {
	if all {
		return lacks + ", and the other times of the column do: write all in one form"
	}
	return has + ", and the other times of the column do not: write all in one form"
}

// StampOf returns the stamp of a moment by its own clock or, in a column of times with a zone,
// by the clock of UTC.
func (t Time) StampOf(v time.Time) Stamp {
	if t.Zone {
		v = v.UTC()
	}
	return stampOf(v, t.Zone, t.Clock)
}

func stampOf(v time.Time, zone, clock bool) Stamp {
	hour, minute, second := v.Clock()
	s := Stamp{Seconds: int64(3600*hour + 60*minute + second), Nanos: int64(v.Nanosecond()), Clock: true, Zone: zone}
	if !clock {
		var month time.Month
		s.Year, month, s.Day = v.Date()
		s.Month = int(month)
	}
	return s
}

// StampAt returns the stamp of v units since 1970-01-01, or since midnight.
func StampAt(v float64, perDay int64, zone, clock bool) Stamp {
	units := int64(v)
	days := (units - mod(units, perDay)) / perDay
	rest, second := mod(units, perDay), max(1, perDay/day)
	s := stampOf(time.Unix(days*day+rest/second, rest%second*(1e9/second)).UTC(), zone, clock)
	s.Clock = perDay > 1
	return s
}

// String returns the stamp of StampAt or StampOf as a text that ParseStamp reads.
func (s Stamp) String() string {
	var parts []string
	if s.Month != 0 {
		parts = append(parts, fmt.Sprintf("%04d-%02d-%02d", s.Year, s.Month, s.Day))
	}
	if s.Clock {
		clock := time.Unix(s.Seconds, s.Nanos).UTC().Format("15:04:05.999999999")
		if s.Zone {
			clock += "Z"
		}
		parts = append(parts, clock)
	}
	return strings.Join(parts, " ")
}

// Word returns the word of a stamp without Numbers: 2024-01-31, 2024-01-31 12:00:00.5 or 12:00:00,
// to the microsecond, and with a zone in UTC and a Z at its end. Midnight without a zone is the
// date alone, as pandas writes it.
func (s Stamp) Word() string {
	year, layout := 1970, "15:04:05.999999"
	if s.Month != 0 {
		year, layout = s.Year, "2006-01-02 15:04:05.999999Z07:00"
	}
	t := time.Date(year, time.Month(max(s.Month, 1)), max(s.Day, 1), 0, 0, int(s.Seconds-s.Offset), int(s.Nanos), time.UTC)
	switch {
	case s.Month != 0 && !s.Zone && s.Seconds == 0 && s.Nanos < 1e3:
		layout = time.DateOnly
	case !s.Zone:
		layout = strings.TrimSuffix(layout, "Z07:00")
	}
	return t.Format(layout)
}

// momentOf returns the Word of a date, of a date with a time of day, or of a time of day, in the
// forms of ISO 8601 that programs print columns of times in. It returns nil for other texts, which
// are words as they are.
func momentOf(cell []byte) []byte {
	is := func(i int, of string) bool {
		return len(cell) == i || len(cell) > i && strings.IndexByte(of, cell[i]) >= 0
	}
	date := len(cell) >= 10 && cell[4] == '-' && cell[7] == '-' && is(10, " T") && is(13, ":") && is(16, ":")
	clock := len(cell) >= 8 && cell[2] == ':' && cell[5] == ':' && is(8, ".")
	if !date && !clock || len(cell) > 48 {
		return nil
	}
	s, ok := ParseStamp(bytes.Clone(cell)) // so that long words need not be copied
	if !ok || s.Seconds >= day || clock && s.Zone {
		return nil
	}
	return []byte(s.Word())
}

func (Time) Bool([]float64, bool) string { return "is a boolean, and the column has times" }

// Number takes the days since 1970-01-01, or the hour of the day.
func (t Time) Number(to []float64, v float64) string {
	unit := float64(day)
	if t.Clock {
		unit = 3600
	}
	if !(math.Abs(v) < 1e8) {
		return "is no time: give days since 1970-01-01, or a text"
	}
	whole, part := math.Modf(v)
	seconds, nanos := math.Modf(float64(part * unit))
	s, n := int64(float64(whole*unit))+int64(seconds), int64(math.Round(nanos*1e9))
	for n < 0 {
		s, n = s-1, n+1e9
	}
	t.put(to, s+n/1e9, n%1e9)
	to[0] = v
	return ""
}

const day = 24 * 60 * 60

// put writes the inputs of a time, given as seconds and nanoseconds since 1970 or since
// midnight.
func (t Time) put(to []float64, seconds, nanos int64) {
	of := func(seconds int64) float64 { return float64(seconds) + float64(nanos)/1e9 }
	if t.Clock {
		to[0] = of(seconds) / 3600
		return
	}
	to[0] = of(seconds) / day
	n := 1
	next := func(v float64) { to[n] = v; n++ }
	if t.Hour {
		next(of(mod(seconds, day)) / 3600)
	}
	if t.Weekday { // 1970-01-01 was a Thursday
		next(float64(mod((seconds-mod(seconds, day))/day+3, 7)))
	}
	if t.YearDay {
		next(float64(time.Unix(seconds, 0).UTC().YearDay()))
	}
}

// mod is the remainder that is not negative.
func mod(a, b int64) int64 { return (a%b + b) % b }
