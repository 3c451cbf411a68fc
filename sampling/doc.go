// Package sampling chooses the features of a map: from a kernel, a dimension, a
// number of columns, a seed and, for some strategies, data, to a *rff.Map.
//
// Every strategy is an rff.Sampler; ByName finds one by the word a command line
// uses, with options: "sobol", "surrogate:pool=8,weight=importance".
package sampling
