// Package portable holds the elementary functions that turn uniforms into
// frequencies, written so that their bits do not depend on the platform or the
// compiler: no assembly as in package math, and no multiply-add that a compiler
// may or may not contract. Every product that feeds a sum is either rounded by
// an explicit conversion (which the Go specification makes a rounding point) or
// part of a math.FMA.
//
// Errors are in units in the last place (ULP) of the exact value, over the
// whole domain unless a function says otherwise.
package portable
