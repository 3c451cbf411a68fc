package main

import "github.com/klauspost/cpuid/v2"

// cpuName names the CPU and what it has that the kernels use.
func cpuName() string {
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
