package sampling

import "fmt"

// NoDataError says that a strategy that looks at data was given none.
type NoDataError struct{ Strategy string }

func (e *NoDataError) Error() string {
	return fmt.Sprintf("sampling: %s chooses features by looking at data: pass the training rows", e.Strategy)
}

// NoRowsError says that a stream had too few rows to go by.
type NoRowsError struct {
	Strategy string
	Rows     int64 // rows seen
	Need     int64
	Hint     string
}

func (e *NoRowsError) Error() string {
	return fmt.Sprintf("sampling: %s saw %d rows and needs at least %d%s", e.Strategy, e.Rows, e.Need, e.Hint)
}

// NoLabelsError says that a strategy that scores features by the targets was
// given rows without any.
type NoLabelsError struct{ Strategy string }

func (e *NoLabelsError) Error() string {
	return fmt.Sprintf("sampling: %s scores features by the targets, and the data have none: pass labels, or choose leverage or a strategy that needs no data", e.Strategy)
}

// NoSignalError says that the scores cannot be turned into probabilities: all
// are zero, as with labels of one class, or some are not finite.
type NoSignalError struct {
	Strategy string
	Sum      float64 // 0, or the first score that is not a finite non-negative number
}

func (e *NoSignalError) Error() string {
	if e.Sum == 0 {
		return fmt.Sprintf("sampling: %s: the labels carry no signal: every candidate scores zero; are the labels constant?", e.Strategy)
	}
	return fmt.Sprintf("sampling: %s: the labels carry no signal: a candidate scores %g; are labels or data out of range?", e.Strategy, e.Sum)
}

// SupportError says that fewer candidates have a positive probability than are
// to be picked without replacement.
type SupportError struct {
	Strategy      string
	Positive, Ask int // in frequencies
}

func (e *SupportError) Error() string {
	return fmt.Sprintf("sampling: %s: only %d candidate frequencies have a positive score and %d are asked for: ask for fewer features, enlarge the pool, or pick with replacement", e.Strategy, e.Positive, e.Ask)
}

// BaseError says that a base strategy cannot supply candidates.
type BaseError struct{ Strategy, Why string }

func (e *BaseError) Error() string { return fmt.Sprintf("sampling: %s: %s", e.Strategy, e.Why) }

// RankError says that a projection has fewer independent columns than asked for.
type RankError struct {
	Strategy  string
	Rank, Ask int
}

func (e *RankError) Error() string {
	return fmt.Sprintf("sampling: %s: the features of these rows span %d dimensions, and %d columns are asked for: ask for at most %d", e.Strategy, e.Rank, e.Ask, e.Rank)
}
