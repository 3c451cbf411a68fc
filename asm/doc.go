// Package asm holds the micro-kernels that everything else in rff rests on: fused
// projection and cosine, the tile product of GEMM and SYRK, dot products, factors and
// inverses of small triangles, Walsh–Hadamard butterflies, gains of thresholds, and the gradient of the
// ridge loss by frequencies and coefficients. There is one set of them for each instruction
// set. Their loops run over one strip or tile; blocking, packing and goroutines belong to
// package blas.
//
// The package serves rff and promises no compatibility between versions, because its layouts
// follow the processors.
//
// # Results
//
// The reference kernels (reference.go), in the plainest Go and always compiled,
// define every result to the last bit: each element of an output is one chain of
// fused multiply-adds in a fixed order. AVX-512, AVX2, NEON and the blocked Go
// kernels of other processors (portable.go) agree with them bit for bit.
//
// Exported kernels check their slices and panic with the constants of errors.go
// before any assembly runs.
//
// # Words
//
//   - Vector: the elements of one vector register. Lane: one of them, or one of
//     the partial sums of Dot.
//   - Panel: Panel columns of a matrix side by side, row after row; the unit in
//     which features and right operands are stored. A panel is a few vectors wide.
//   - Tile: the part of a result that a micro-kernel keeps in registers: some rows
//     by Width columns, which are one or more panels.
//   - Strip: the rows of a feature tile, which go through all panels; in a product,
//     MR rows of the left operand.
//   - Group: panels that stay in the second-level cache while rows or strips pass.
//   - Chain: the fused multiply-adds of one element, in order.
//   - Micro-kernel: a function of this package that computes a tile or a strip. A
//     kernel in the statistical sense is a subject of package rff.
//   - Reference kernel: the Go code that defines the bits of a micro-kernel.
//   - Pipelined kernel: a feature kernel that runs the epilogue of one tile beside
//     the first inputs of the next one.
//   - Epilogue: the part of a feature kernel after the projection: the function and
//     the weight.
//   - Residual: prediction minus target. A residual has GradientLanes partial sums.
//   - Turn: the unit of the angles of Cos and CosSin; 1 turn is 2π.
//
// # Layout
//
// W, the frequencies of a map with D inputs, lies in tiles of Width columns, input
// after input; the features of a strip lie as row-major rows or as panels:
//
//	        one tile of W                     features in panels
//	        Width columns                     Panel     Panel
//	k = 0   w w w w w w w w            row 0  z z z z | z z z z
//	k = 1   w w w w w w w w            row 1  z z z z | z z z z
//	  ⋮                                  ⋮
//	k = D−1 w w w w w w w w            Z[r·RowStride + q·PanelStride + c]
//	then the next tile                 for row r, panel q, column c of it
//
// The gradient (gradient.go) has features in panels, and coefficients and their
// derivatives in panels of their own, a row for each target:
//
//	Forward   X·W → cos, sin → panels;  R = c·a + n·b − Y, from registers
//	Backward  c, n, R → D = c∘(R·bᵀ) − n∘(R·aᵀ), and R times c and n to GA and GB
//	Gemm      XᵀD: the strips of Xᵀ are rows of X in place
//	Adam      the step, on what Gemm and Backward wrote
//
// On AVX-512 the pipelined kernels add a tile of features to the residuals' partial
// sums before it leaves the registers; elsewhere Forward is Features and then
// Residuals. Features and XᵀD have no kernels of their own.
//
// Panels of features are both operands of ZᵀZ, in place: a panel is one of the right
// operand, and its columns o … o+MR−1 are a strip of the left one:
//
//	Accumulate(m, n, k): C[i,j] += Σ over rows l < k of a[l·lda+i] · b[(j/Panel)·bStride + l·Panel + j%Panel]
package asm
