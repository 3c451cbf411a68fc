#!/bin/sh
# Times every shape, element type and number of workers, and writes
# bench/RESULTS-ridge.md. RUN may name a program that runs a timing alone.
set -eu
cd "$(dirname "$0")/../.."
mkdir -p out
${GO:-go} build -o out/ridge ./bench/ridge
rm -f out/ridge.json
for workers in 1 2; do
	for shape in 10000,14,1792 59535,8,1024 20000,54,3456 10000,784,4096 100000,10,256; do
		case $shape in
		10000,14,1792 | 59535,8,1024) cv=20 ;;
		*) cv=0 ;;
		esac
		for dtype in f64 f32; do
			${RUN:-} out/ridge -workers $workers -shape $shape -dtype $dtype -cv $cv -record out/ridge.json
		done
	done
done
out/ridge -report out/ridge.json >out/ridge.md
mv out/ridge.md bench/RESULTS-ridge.md
