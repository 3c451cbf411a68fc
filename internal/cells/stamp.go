package cells

import (
	"bytes"
	"time"
)

// Stamp has what a text says about a moment.
type Stamp struct {
	// Year, Month and Day are those of the date, or 0 for a time of day alone. Of a date only the
	// year may be 0, that before the year 1. If Numbers is
	// set, Month and Day are the two numbers before the year, in the order in which they are
	// written; the text does not say which is which.
	Year, Month, Day int
	Numbers          bool
	Seconds          int64 // since midnight, as the clock of Zone shows it
	Nanos            int64 // and nanoseconds
	Clock            bool  // there is a time of day
	Zone             bool  // there is a time zone or an offset
	Offset           int64 // of it from UTC, in seconds
}

// ParseStamp reads a date, a time of day or both, in the forms that pandas, R, SQL,
// spreadsheets and logs write:
//
//	2024-01-31, 2024/01/31, 2024.01.31, 2024-01, 2024-Jan-31, 20240131T120000
//	31.12.2024 (the day first), 31/12/2024, 12/31/24, 31-12-2024
//	31 Dec 2024, 31-Dec-24, December 31, 2024, Wed, 31 Jan 2024, Wed Jan 31 12:00:00 2024
//	12:00, 12:00:00, 12:00:00.123, 12:00:00,123, 3:04 PM; after a date and T, a space or a colon
//	Z, UTC, GMT, +01:00, +0100, +01 behind it
//
// Years of two digits from 69 to 99 are 1969 to 1999, as in POSIX.
func ParseStamp(text []byte) (s Stamp, ok bool) {
	if len(text) < 4 || len(text) > 48 {
		return s, false
	}
	p := scan{text}
	if p.at(p.digits(), ":") {
		return s, p.clock(&s) && p.zone(&s) && len(p.rest) == 0
	}
	if p.name(weekdays) > 0 {
		p.skip(",")
		p.skip(" ")
	}
	if !p.date(&s) || !s.valid() {
		return s, false
	}
	if len(p.rest) == 0 {
		return s, true
	}
	p.skip(",")
	between := p.skip("T") || p.skip("t") || p.skip(" ") || p.skip(":") || s.Year < 0
	if !between || !p.clock(&s) || !p.zone(&s) {
		return s, false
	}
	if s.Year < 0 { // the year of ctime stands last
		p.skip(" ")
		if s.Year, ok = p.number(4, 4); !ok || !s.valid() {
			return s, false
		}
	}
	return s, len(p.rest) == 0
}

var months = []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}
var weekdays = []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}

// scan is a text that is read from its beginning.
type scan struct{ rest []byte }

// digits returns how many digits come next.
func (p *scan) digits() int {
	n := 0
	for n < len(p.rest) && p.rest[n]-'0' <= 9 {
		n++
	}
	return n
}

// number reads a number of least to most digits.
func (p *scan) number(least, most int) (v int, ok bool) {
	n := p.digits()
	if n < least || n > most {
		return 0, false
	}
	for _, c := range p.rest[:n] {
		v = 10*v + int(c-'0')
	}
	p.rest = p.rest[n:]
	return v, true
}

// at reports whether the n-th of the next bytes, counted from 0, is one of those in of.
func (p *scan) at(n int, of string) bool {
	return n < len(p.rest) && bytes.IndexByte([]byte(of), p.rest[n]) >= 0
}

// skip goes past a byte, or past all spaces.
func (p *scan) skip(c string) bool {
	n := 0
	for p.at(n, c) && (n == 0 || c == " ") {
		n++
	}
	p.rest = p.rest[n:]
	return n > 0
}

// name reads a name, whole or its first three letters, and returns its number from 1.
func (p *scan) name(names []string) int {
	n := 0
	for n < len(p.rest) && p.rest[n]|0x20 >= 'a' && p.rest[n]|0x20 <= 'z' {
		n++
	}
	word := bytes.ToLower(p.rest[:n])
	for i, name := range names {
		if n >= 3 && (string(word) == name || string(word) == name[:3]) {
			p.rest = p.rest[n:]
			p.skip(".")
			return i + 1
		}
	}
	return 0
}

// date reads a date. The year is −1 if it does not stand with day and month.
func (p *scan) date(s *Stamp) (ok bool) {
	if s.Month = p.name(months); s.Month > 0 { // December 31, 2024
		p.skip(" ")
		if s.Day, ok = p.number(1, 2); !ok {
			return false
		}
		if p.skip(","); !p.skip(" ") {
			return false
		}
		if s.Year = -1; !p.at(2, ":") {
			s.Year, ok = p.number(4, 4)
		}
		return ok
	}
	switch n := p.digits(); {
	case n == 8 && p.at(8, "T"):
		all, _ := p.number(8, 8)
		s.Year, s.Month, s.Day = all/10000, all/100%100, all%100
		return true
	case n == 4 && p.at(4, "-/."):
		return p.yearFirst(s)
	case n == 0 || n > 2 || !p.at(n, "-/. "):
		return false
	}
	return p.yearLast(s)
}

// yearFirst reads a date that begins with its year.
func (p *scan) yearFirst(s *Stamp) (ok bool) {
	s.Year, _ = p.number(4, 4)
	between := string(p.rest[:1])
	p.skip(between)
	if s.Month = p.name(months); s.Month == 0 {
		if s.Month, ok = p.number(1, 2); !ok {
			return false
		}
	}
	if !p.skip(between) {
		s.Day = 1
		return between == "-" && len(p.rest) == 0
	}
	s.Day, ok = p.number(1, 2)
	return ok
}

// yearLast reads a date that ends in its year.
func (p *scan) yearLast(s *Stamp) (ok bool) {
	first, _ := p.number(1, 2)
	between := string(p.rest[:1])
	p.skip(between)
	if s.Month = p.name(months); s.Month > 0 { // 31 Dec 2024
		s.Day = first
	} else if s.Day, ok = p.number(1, 2); !ok || between == " " {
		return false
	} else if s.Month = first; between == "." {
		s.Month, s.Day = s.Day, first
	} else {
		s.Numbers = true
	}
	if !p.skip(between) {
		return false
	}
	if p.digits() == 4 {
		s.Year, ok = p.number(4, 4)
		return ok
	}
	if s.Year, ok = p.number(2, 2); s.Year < 69 {
		s.Year += 100
	}
	s.Year += 1900
	return ok
}

// valid reports whether there is such a day.
func (s *Stamp) valid() bool {
	if s.Year < 0 {
		return true // not yet known
	}
	is := func(month, day int) bool {
		return month >= 1 && month <= 12 && day >= 1 && day <= time.Date(s.Year, time.Month(month+1), 0, 0, 0, 0, 0, time.UTC).Day()
	}
	return is(s.Month, s.Day) || s.Numbers && is(s.Day, s.Month)
}

// pair reads two digits, whatever follows.
func (p *scan) pair() (v int, ok bool) {
	if p.digits() < 2 {
		return 0, false
	}
	v = 10*int(p.rest[0]-'0') + int(p.rest[1]-'0')
	p.rest = p.rest[2:]
	return v, true
}

// clock reads a time of day.
func (p *scan) clock(s *Stamp) (ok bool) {
	var hour, minute, second int
	if basic := p.digits() == 6; basic { // 120000
		hour, _ = p.pair()
		minute, _ = p.pair()
		second, _ = p.pair()
	} else {
		if hour, ok = p.number(1, 2); !ok || !p.skip(":") {
			return false
		}
		if minute, ok = p.pair(); !ok {
			return false
		}
		if p.skip(":") {
			if second, ok = p.pair(); !ok || !p.fraction(s) {
				return false
			}
		}
	}
	if hour, ok = p.noon(hour); !ok || minute > 59 || second > 60 || hour > 24 || hour == 24 && minute+second > 0 {
		return false
	}
	s.Clock, s.Seconds = true, int64(3600*hour+60*minute+second)
	return true
}

// fraction reads the decimals of the seconds, if there are some. It ignores digits after the
// ninth.
func (p *scan) fraction(s *Stamp) bool {
	if !p.at(0, ".,") {
		return true
	}
	n := 1
	for unit := int64(1e8); n < len(p.rest) && p.rest[n]-'0' <= 9; n++ {
		s.Nanos += unit * int64(p.rest[n]-'0')
		unit /= 10
	}
	p.rest = p.rest[n:]
	return n > 1
}

// noon reads AM or PM, and returns the hour of 24.
func (p *scan) noon(hour int) (int, bool) {
	n := 0
	for p.at(n, " ") {
		n++
	}
	if !p.at(n, "aApP") || !p.at(n+1, "mM") {
		return hour, true
	}
	late := p.rest[n]|0x20 == 'p'
	p.rest = p.rest[n+2:]
	if hour < 1 || hour > 12 {
		return 0, false
	}
	if hour %= 12; late {
		hour += 12
	}
	return hour, true
}

// zone reads the offset from UTC, if there is one.
func (p *scan) zone(s *Stamp) bool {
	before := p.rest
	p.skip(" ")
	for _, name := range []string{"Z", "UTC", "GMT"} {
		if len(p.rest) >= len(name) && bytes.EqualFold(p.rest[:len(name)], []byte(name)) {
			s.Zone, p.rest = true, p.rest[len(name):]
			return true
		}
	}
	if !p.at(0, "+-") {
		p.rest = before
		return true
	}
	sign := int64(1)
	if p.rest[0] == '-' {
		sign = -1
	}
	p.rest = p.rest[1:]
	n := p.digits()
	v, ok := p.number(2, 4)
	hour, minute := v, 0
	switch {
	case !ok || n == 3:
		return false
	case n == 4:
		hour, minute = v/100, v%100
	case p.skip(":"):
		if minute, ok = p.number(2, 2); !ok {
			return false
		}
	}
	s.Zone, s.Offset = true, sign*int64(3600*hour+60*minute)
	return hour < 24 && minute < 60
}
