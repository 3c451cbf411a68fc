// Package learn learns frequencies from rows with targets: the metric in which
// random features are drawn (the average gradient outer product of a ridge
// regression, read off its Gram matrix), and the frequencies themselves, by
// gradient descent. Package sampling makes samplers of it.
//
// All of it is judged by the squared error on rows that were held out, with an
// exact ridge regression on the rows that were not. Results depend on the data
// and the numbers given, not on the instruction set or the number of workers.
package learn
