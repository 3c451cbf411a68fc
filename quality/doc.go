// Package quality says how good a feature map is: how far its kernel is from the
// one it approximates, measured (MeasureKernel) or bounded before it is drawn
// (HoeffdingTail, UniformFeatures), and how well it suits targets
// (TargetAlignment). No fit needs it.
package quality
