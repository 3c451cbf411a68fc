// Command web makes one HTML file that has the command rff in it, as WebAssembly: make web.
// Opened from a disk, without a network, it fits a CSV file that is dropped on it in a worker,
// shows the report, and predicts further files.
//
// The page runs the command itself, on a file system in memory (files.js): so its errors and
// reports are those of the command, and its models have the same bits. What WebAssembly lacks is
// a fused multiply-add, which Go makes of integer operations, some hundred times slower than a
// product. The build therefore replaces a few functions by way of go build -overlay (_overlay):
// math.FMA, by one of additions and products, and the inner loops of package asm, by vector
// instructions (simd.go) where the browser has fused ones. Templates call no methods there, which lets
// the linker drop what no one calls. Nothing in the library knows of it.
package main
