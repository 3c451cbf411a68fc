// Package quality says how good a feature map is. MeasureKernel measures how far the map's
// kernel is from the kernel that it approximates (KernelMatrix). HoeffdingTail,
// HoeffdingFeatures and UniformFeatures bound this distance before a map is drawn.
// TargetAlignment says how well the kernel suits the targets. MeasureRidge says how many
// directions of a kernel a ridge regression uses, and SufficientFeatures says how many
// features the theory then asks for. No fit needs this package.
package quality
