// Command web makes one HTML file that has rff fit and rff predict in it, as WebAssembly: make web.
// Opened from a disk, without a network, it fits a CSV file that is dropped on it in a worker,
// shows the report, and predicts further files.
//
// The page runs the commands themselves, on a file system in memory (files.js): so its errors and
// reports are theirs, and its models have the same bits. What WebAssembly lacks is
// a fused multiply-add, which Go makes of integer operations, some hundred times slower than a
// product. The build therefore replaces a few functions by way of go build -overlay (_overlay):
// math.FMA, by one of additions and products, and the inner loops of package asm, by vector
// instructions (simd.go) where the browser has fused ones. It also lists these two commands alone, and
// lets templates call no methods, so that the linker drops what the page does not run. Nothing in the
// library knows of it.
package main
