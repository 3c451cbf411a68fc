// Package liu runs the experiments of F. Liu, X. Huang, Y. Chen, J. Yang and J.
// Suykens, "Random Fourier features via fast surrogate leverage weighted sampling"
// (AAAI 2020) again: Table 3, as its figures came about and as a fair comparison, and
// Figure 1.
//
// What the paper prints does not give the figures of Table 3. These do follow from:
//
//   - frequencies ω ~ N(0, I), so k(x, x') = exp(−‖x−x'‖²/2), where the paper prints
//     exp(−‖x−x'‖²); s frequencies make 2s columns, cosines and sines over √s;
//   - rows scaled to mean 0 and standard deviation 1 each (EEG, magic04, cod-RNA), not
//     columns to [0,1], which covtype has;
//   - an absolute λ of {0.05, 0.1, 0.5, 1}, not nλ: β = (ZᵀZ + λI)⁻¹Zᵀ(y−ȳ), f = zβ + ȳ,
//     with Z as it is, not centred;
//   - λ chosen by the accuracy over three folds;
//   - leverage and surrogate keeping all 2s columns, each divided by √p_c, Σp_c = 1: no
//     resampling. That multiplies Z by about √(2s), which divides λ by 2s.
//
// The code of this protocol is here and not in krr, since no learner should do so.
// Plain features with λ/(2s) are run beside the paper's four methods: what they gain
// is what the leverage and surrogate figures gain.
package liu
