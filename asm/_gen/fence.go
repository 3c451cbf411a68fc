package main

// storeFence orders stores past the caches before whatever follows: no other
// instruction of a program in Go need do so.
var _ = add("fence_amd64.s", func(f *file) {
	f.fn("storeFence", "func storeFence()", 0, 0)
	f.op("SFENCE")
	f.op("RET")
})
