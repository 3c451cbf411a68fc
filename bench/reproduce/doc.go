// Package reproduce runs the papers' experiments again, cell by cell.
//
// A cell is one number of an experiment: one sampler with one number of frequencies
// on one data set in one repetition. Its Key says which, and all that a cell draws
// comes from its Key, so that a run that was stopped goes on where it was and ends
// with the same numbers as one that was not (seconds are measured, and differ).
// Finished cells are lines of a Record; a Protocol says what cells there are and how
// one is measured, and makes the document of what was found.
//
// The experiments themselves are packages below this one.
package reproduce
