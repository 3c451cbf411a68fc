// Package safetensors reads and writes tensors of float64 and int64 with a
// checksum. A file is 8 bytes with the length of the header, little-endian; the
// header, JSON, that gives every tensor's type, shape and offsets and a map of
// strings, the metadata; the tensors, little-endian and row-major, without gaps.
// The metadata hold
//
//	sha256   of the whole file, with this value replaced by 64 zeros
//
// and the entries that the caller adds. The caller decides what is in a file and what it means.
//
// Reference: https://github.com/huggingface/safetensors, "Format".
package safetensors
