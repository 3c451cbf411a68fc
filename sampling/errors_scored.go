package sampling

import "fmt"

// NoDataError says that a sampler that looks at data was given none.
type NoDataError struct{ Sampler string }

func (e *NoDataError) Error() string {
	return fmt.Sprintf("sampling: %s chooses features by looking at data: pass the training rows", e.Sampler)
}

// NoRowsError says that a stream had too few rows to go by.
type NoRowsError struct {
	Sampler string
	Rows    int64 // rows seen
	Need    int64
	Hint    string
}

func (e *NoRowsError) Error() string {
	return fmt.Sprintf("sampling: %s saw %d rows and needs at least %d%s", e.Sampler, e.Rows, e.Need, e.Hint)
}

// NoLabelsError says that a sampler that scores features by the targets was
// given rows without any.
type NoLabelsError struct{ Sampler string }

func (e *NoLabelsError) Error() string {
	return fmt.Sprintf("sampling: %s scores features by the targets, and the data have none: pass labels, or choose leverage or a sampler that needs no data", e.Sampler)
}

// NoSignalError says that the scores cannot be turned into probabilities: all
// are zero, as with labels of one class, or some are not finite.
type NoSignalError struct {
	Sampler string
	Sum     float64 // 0, or the first score that is not a finite non-negative number
}

func (e *NoSignalError) Error() string {
	if e.Sum == 0 {
		return fmt.Sprintf("sampling: %s: the labels carry no signal: every candidate scores zero; are the labels constant?", e.Sampler)
	}
	return fmt.Sprintf("sampling: %s: the labels carry no signal: a candidate scores %g; are labels or data out of range?", e.Sampler, e.Sum)
}

// SupportError says that fewer candidates have a positive probability than are
// to be picked without replacement.
type SupportError struct {
	Sampler       string
	Positive, Ask int // in frequencies
}

func (e *SupportError) Error() string {
	return fmt.Sprintf("sampling: %s: only %d candidate frequencies have a positive score and %d are asked for: ask for fewer features, enlarge the pool, or pick with replacement", e.Sampler, e.Positive, e.Ask)
}

// BaseError says that a base sampler cannot supply candidates.
type BaseError struct{ Sampler, Why string }

func (e *BaseError) Error() string { return fmt.Sprintf("sampling: %s: %s", e.Sampler, e.Why) }

// RankError says that a projection has fewer independent columns than asked for.
type RankError struct {
	Sampler   string
	Rank, Ask int
}

func (e *RankError) Error() string {
	return fmt.Sprintf("sampling: %s: the features of these rows span %d dimensions, and %d columns are asked for: ask for at most %d", e.Sampler, e.Rank, e.Ask, e.Rank)
}
