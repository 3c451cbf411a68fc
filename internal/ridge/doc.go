// Package ridge solves the centred, weighted ridge regression that sums of rows
// describe: one λ by a Cholesky factor with as much jitter as it takes, or by the
// eigenvalues; many by one reduction to a band. It also has what follows from the
// same sums: the errors on rows left out, effective degrees of freedom, the
// likelihood, the leverage of rows.
package ridge
