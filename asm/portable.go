package asm

// portable returns the kernels of the instruction set "go": those of processors
// that this package has no assembly for.
func portable[T Float]() *Kernels[T] { return reference[T]("go", goTuning) }
