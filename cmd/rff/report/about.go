package report

import (
	"runtime/debug"
	"strings"
	"time"

	"github.com/klauspost/cpuid/v2"

	"github.com/rffgo/rff/cmd/rff/compare"
)

// About says where a report comes from. Empty fields are left out.
type About struct {
	Command string    `json:"command"`           // the command line
	Version string    `json:"version,omitempty"` // of rff
	Date    time.Time `json:"date,omitzero"`
	Machine string    `json:"machine,omitempty"`
}

// Now returns the About of a report of that command that is made now on this machine.
func Now(command string) About {
	return About{Command: command, Version: Version(), Date: time.Now().UTC(), Machine: Machine()}
}

// Machine names the CPU, its features that the kernels use, the system and the compiler.
func Machine() string { return CPU() + "; " + compare.Machine() }

// CPU names the CPU and its features that the kernels use.
func CPU() string {
	name := cpuid.CPU.BrandName
	if name == "" {
		name = "unknown CPU"
	}
	for _, f := range []cpuid.FeatureID{cpuid.AVX2, cpuid.FMA3, cpuid.AVX512F, cpuid.AVX512DQ, cpuid.AVX512VNNI, cpuid.ASIMD, cpuid.ASIMDDP} {
		if cpuid.CPU.Supports(f) {
			name += " " + f.String()
		}
	}
	return name
}

// Version returns the version of the program's module and the commit that it was built from,
// if the build knows it.
func Version() string {
	b, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := strings.Trim(b.Main.Version, "()")
	if v == "" {
		v = "devel"
	}
	for _, s := range b.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 && !strings.Contains(v, s.Value[:12]) {
			v += ", commit " + s.Value[:12]
		}
	}
	return v
}

// ShellWord quotes a word that a shell would take apart.
func ShellWord(word string) string {
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:=+@%", r)
	}) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
