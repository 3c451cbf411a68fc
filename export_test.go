package rff

// RescaleKernel returns k with every bandwidth multiplied by factor, and the
// bandwidths of k, if it has any.
func RescaleKernel(k Kernel, factor float64) (rescaled Stationary, bandwidth []float64, ok bool) {
	r, ok := k.(scalable)
	if !ok {
		return nil, nil, false
	}
	return rescale(r, factor), r.bandwidth(), true
}
