// Package train learns the frequencies and coefficients of a feature map by the
// ridge loss, with Adam, on the micro-kernels of package asm.
//
// # The way of a batch
//
//	rows of a block, in chunks          panels, in groups
//	┌──────────────┐  ┌──────────────────────┐   asm.Kernels.Forward: features to panels,
//	│ X      chunk │→ │ c c c c   n n n n    │   and the residuals of all frequencies
//	│        chunk │  │ (second-level cache) │
//	└──────────────┘  └──────────────────────┘
//	                     │ group by group, 64 rows (gradientRows) at a time
//	                     ▼
//	       Backward: D of the group (first-level cache), ∂a, ∂b;  Gemm: ∂W += XᵀD
//
// A residual needs all frequencies of its row, so a block has two stages: workers
// share chunks of rows in the first and groups of panels in the second. Sines and
// cosines are computed once, and W stays packed from one step of Adam to the next.
package train
