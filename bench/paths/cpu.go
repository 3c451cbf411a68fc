package main

import "github.com/klauspost/cpuid/v2"

func cpu() string { return cpuid.CPU.BrandName }
