// Package blas does the matrix work of rff: fused random features, the
// streaming Gram matrix, and the dense products and factorisations that ridge
// regression needs, on any number of workers.
//
// The package owns blocking, packing, workspaces and goroutines. It knows nothing of kernels
// in the statistical sense, of randomness or of data. It serves rff and promises no
// compatibility between versions.
//
// # Backends
//
// An Engine says on which backend work runs and on how many workers. There are two kinds of
// backend, which implement one interface (operations.go). The native backend runs on the
// micro-kernels of package asm. The reference kernels there define its results, which do not
// depend on the instruction set or on the number of workers. A generic backend (gonum,
// OpenBLAS) lends its products, and its results may differ in the last bits.
//
// # Words
//
//   - Row block: RowBlock rows, whose sums form one fused chain each.
//   - Chain: the fused multiply-adds of one element over a row block, or over
//     BlockK inner indices of a product. The lengths of chains define results.
//   - Panel, tile, strip: see package asm.
//   - Group: panels of the right operand (of features in a Gram matrix, of
//     frequencies in Transform) that stay in the second-level cache while strips
//     of the left operand pass by.
//   - Part: the features of a row block that one task makes: a group of panels, or
//     all panels of a chunk of rows.
//   - Chunk: the rows, or the right-hand sides, that one task handles.
//   - Stage: a step of a computation whose tasks may run in any order: a row block
//     of a Gram matrix, or a block of rows, columns and inner indices of a product.
//   - Task: the work that a worker takes at a time. Workers divide outputs among
//     themselves, never the terms of a sum.
//   - Plan: the sizes, stages and tasks of a computation, made before it runs.
//   - Half: the cosines or the sines of a CosSin map.
//   - Stack: structured projections (Blocks) of one size, side by side.
//   - Packed: copied into strips or panels.
//   - Form: a Spec in the layout of one set of kernels.
//   - Worker: a goroutine that runs tasks; worker 0 is the caller.
//
// # The way of a row block
//
//	   x, RowBlock rows          features in panels, never stored as a whole
//	┌──────────────┐   part 0  part 1  part 2 …     (each a group of panels)
//	│ d inputs     │  ┌───────┬───────┬───────┐
//	│              │→ │ z z z │ z z z │ z z z │   panel q of the row block is at
//	│              │  │ z z z │ z z z │ z z z │   z[q·RowBlock·Panel …], row after row
//	└──────────────┘  └───────┴───────┴───────┘
//
//	G, upper triangle         task (group 2, panels first … end−1): strips of
//	┌───┬───┬───┐             the panels above and in the group, as left operands,
//	│ 0 │ 1 │ 2 │             by the panels of group 2, as right ones. It waits for
//	│   ├───┼───┤             parts 0 … 2 of this row block, and for itself in the
//	│     1 │ 2 │             row block before, which fixes the order of additions.
//	│       ├───┤
//	│         2 │             Zᵀy goes along with the strips of panel 0.
//	└───────────┘
//
// # The way of a product
//
// C = A·B in stages of at most 5376 rows, 8064 columns and BlockK inner indices:
//
//	A, packed in strips of MR rows        B, packed in panels
//	strip 0: a a a a … (l = 0), (l = 1)   panel 0: l = 0: b b b b, l = 1: b b b b, …
//	strip 1: …                            └─ group: stays in the second-level cache ─┘
//
// A task takes 16 strips through one group; a strip stays in the first-level cache
// while it meets the panels. Sizes that were chosen for speed are in tuning.go; lengths that
// define results are in lengths.go.
package blas
