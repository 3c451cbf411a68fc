module github.com/rffgo/rff/dataset/internal

go 1.24.0

require (
	github.com/andybalholm/brotli v1.2.0
	github.com/golang/snappy v1.0.0
	github.com/klauspost/compress v1.19.2
)
