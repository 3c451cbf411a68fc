// Package quality says how good a feature map is. MeasureKernel measures how far its
// kernel is from the one it approximates (KernelMatrix); HoeffdingTail,
// HoeffdingFeatures and UniformFeatures bound that before a map is drawn;
// TargetAlignment says how well the kernel suits the targets; MeasureRidge how many of
// its directions a ridge regression uses, and SufficientFeatures how many features the
// theory asks for then. No fit needs it.
package quality
