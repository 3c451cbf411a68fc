package asm

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What the AVX2 kernels may hold: instructions of x86-64, AVX, AVX2 and FMA. One of
// AVX-512 would pass every test on a processor that has both, and crash on the others.
const (
	baseInstructions = `
		ADDQ ANDQ CMPQ DECQ IMUL3Q IMULQ JEQ JGE JGT JLE JLT JMP JNE JNZ JZ LEAQ MOVQ PCALIGN
		PREFETCHT0 PREFETCHT1 RET SHLQ SHRQ SUBQ TESTQ XORQ`
	avx2Instructions = `
		VADDPD VADDPS VADDSD VADDSS VANDNPD VANDNPS VANDPD VANDPS VBLENDVPD VBLENDVPS VBROADCASTSD
		VBROADCASTSS VCMPPD VCMPPS VCVTDQ2PD VCVTPS2DQ VCVTPS2PD VDIVPD VDIVPS VEXTRACTF128 VFMADD132PD
		VFMADD132PS VFMADD213PD VFMADD213PS VFMADD231PD VFMADD231PS VFNMADD231PD
		VFNMADD231PS VINSERTF128 VMASKMOVPD VMASKMOVPS VMAXPD VMAXPS VMOVAPD VMOVAPS VMOVHPS VMOVNTPD VMOVNTPS
		VMOVSD VMOVSHDUP VMOVSS VMOVUPD VMOVUPS VMULPD VMULPS VORPD VORPS VPADDD VPBLENDW VPERM2F128
		VPERMILPD VPERMILPS VPMADDWD VPSLLD VPSLLQ VPSRAD VPSUBD VROUNDPD VROUNDPS VSHUFPS VSQRTPD VSQRTPS VSUBPD
		VSUBPS VSUBSD VSUBSS VUNPCKHPD VUNPCKHPS VUNPCKLPD VUNPCKLPS VXORPD VXORPS VZEROUPPER`
)

// Registers 16 to 31, of 512 bits and of masks, and operands spread or rounded by the
// instruction: the same names are then instructions of AVX-512.
var wideOperand = regexp.MustCompile(`\b(?:[XY](?:1[6-9]|2[0-9]|3[01])|Z[0-9]+|K[0-7])\b|\.(?:BCST|Z|SAE|R[NDUZ]_SAE)\b`)

// TestInstructionsOfAVX2 reads the kernels that run where there is AVX2 but no AVX-512.
func TestInstructionsOfAVX2(t *testing.T) {
	allowed := map[string]bool{}
	for _, name := range strings.Fields(baseInstructions + avx2Instructions) {
		allowed[name] = true
	}
	files, err := filepath.Glob("*_avx2_amd64.s")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files of AVX2 kernels: %v", len(files), err)
	}
	instruction := regexp.MustCompile(`^\t(?:\S+:\s*)?([A-Z][A-Z0-9]*)`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for i, line := range strings.Split(string(text), "\n") {
			line, _, _ = strings.Cut(line, "//")
			name := instruction.FindStringSubmatch(line)
			if name == nil {
				continue
			}
			found++
			if !allowed[name[1]] || wideOperand.MatchString(line) {
				t.Errorf("%s:%d: not known to be of AVX2: %s", file, i+1, strings.TrimSpace(line))
			}
		}
		if found == 0 {
			t.Errorf("%s: no instructions found", file)
		}
	}
}
