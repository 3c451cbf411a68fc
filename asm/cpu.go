package asm

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// isas names every instruction set that any build knows, best first within an architecture. So
// every build can tell a name from a typing error.
var isas = []string{"avx512", "avx2", "neon", "go"}

// dispatch is bound once, at start, and never changes.
var dispatch = bind(os.Getenv("RFF_CPU"), runnable())

type binding struct {
	set []implementation // best first, "go" last
	err error
}

// bind applies the words of RFF_CPU to the instruction sets that this build and CPU can run. If a
// word cannot be obeyed, it binds all of them, as without the variable, so that a program that
// ignores the error loses no speed.
func bind(words string, can []implementation) binding {
	all := append(slices.Clone(can), implementation{"go", portable(chains64), portable(chains32)})
	set := slices.Clone(all)
	refuse := func(word, why string) binding {
		var here []string
		for _, i := range all {
			here = append(here, i.isa)
		}
		why += "; there are here: " + strings.Join(here, ", ")
		return binding{set: all, err: &SelectError{Setting: "RFF_CPU", Word: word, Why: why}}
	}
	for _, word := range strings.Split(words, ",") {
		word = strings.TrimSpace(word)
		if word == "noasm" {
			word = "go"
		}
		known := func(isa string) bool { return slices.Contains(isas, isa) }
		drop := func(isa string) {
			set = slices.DeleteFunc(set, func(i implementation) bool { return i.isa == isa })
		}
		switch {
		case word == "":
		case known(word):
			if !slices.ContainsFunc(set, func(i implementation) bool { return i.isa == word }) {
				return refuse(word, "this CPU or build cannot run it, or another word excludes it")
			}
			for _, isa := range isas {
				if isa != word && isa != "go" {
					drop(isa)
				}
			}
		case word != "nogo" && strings.HasPrefix(word, "no") && known(word[2:]):
			drop(word[2:])
			if word == "noavx2" {
				drop("avx512") // no CPU has AVX-512 without AVX2
			}
		default:
			return refuse(word, "the known words are go, noasm, avx512, avx2, neon, noavx512, noavx2 and noneon")
		}
	}
	return binding{set: set}
}

// SelectError says that a word that selects kernels, a backend or its threads
// cannot be obeyed.
type SelectError struct {
	Setting string // the setting with the word: "RFF_CPU", "RFF_BACKEND", "backend"
	Word    string
	Why     string // why it cannot be obeyed, and which words can
}

func (e *SelectError) Error() string {
	return fmt.Sprintf("rff: %s cannot be %q: %s", e.Setting, e.Word, e.Why)
}

// Select returns an error if the environment variable RFF_CPU could not be obeyed. The variable
// is a comma-separated list, read once at start. "go" (or "noasm"), or the name of an
// instruction set, selects that one only. "noavx512", "noavx2" (which excludes AVX-512 too) and
// "noneon" leave one out. After an error, a *SelectError, the kernels are those without the
// variable. Every function of rff that chooses an engine and can return an error returns this
// one.
func Select() error { return dispatch.err }

// Native returns the best kernels that this CPU runs and RFF_CPU allows. The
// table is shared: do not modify it.
func Native[T Float]() *Kernels[T] { return dispatch.set[0].table(*new(T)).(*Kernels[T]) }

// All returns every set of kernels that this CPU runs and RFF_CPU allows, best first and those
// in Go last. Tests of kernels run over all of them.
func All[T Float]() []*Kernels[T] {
	all := make([]*Kernels[T], len(dispatch.set))
	for i, s := range dispatch.set {
		all[i] = s.table(*new(T)).(*Kernels[T])
	}
	return all
}

func (i implementation) table(zero any) any {
	if _, ok := zero.(float64); ok {
		return i.f64
	}
	return i.f32
}
