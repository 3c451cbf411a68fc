//go:build !(arm64 || riscv64 || ppc64 || ppc64le || s390x || loong64 || mips64 || mips64le)

package asm

// manyRegisters says that a processor has 32 floating-point registers.
const manyRegisters = false
