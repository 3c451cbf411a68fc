#!/bin/sh
# Times every shape, element type and number of workers, and writes
# bench/RESULTS-ridge.md. RUN may name a program that runs a timing alone.
set -eu
cd "$(dirname "$0")/../.."
mkdir -p out
${GO:-go} -C bench build -o ../out/ridge ./ridge
rm -f out/ridge.json
for workers in 1 2; do
	for shape in 10000,14,1792 59535,8,1024 20000,54,3456 10000,784,4096 100000,10,256; do
		case $shape in # small ones are more often interrupted
		10000,14,1792) cv=20 reps=7 ;;
		59535,8,1024) cv=20 reps=7 ;;
		100000,10,256) cv=0 reps=21 ;;
		*) cv=0 reps=5 ;;
		esac
		for dtype in f64 f32; do
			${RUN:-} out/ridge -workers $workers -shape $shape -dtype $dtype -cv $cv -reps $reps -record out/ridge.json
		done
	done
done
if [ -n "${RFF_DATA:-}" ]; then
	for times in 1 4 16; do # longer than a timing may take, and about memory
		out/ridge -stream "$RFF_DATA/kddcup99/kddcup99-10pct.csv.gz" -times $times -features 1024 -workers 2 -record out/ridge.json
	done
	for pair in "1 1e-6" "2 1e-4" "2 1e-6" "2 1e-8"; do
		for solver in cholesky cg; do
			${RUN:-} out/ridge -accuracy "$RFF_DATA/covtype/covtype-sample.csv.gz" -features 6912 -solver $solver -memory 536870912 \
				-lambda ${pair#* } -dtype f32 -workers ${pair% *} -record out/ridge.json
		done
	done
fi
out/ridge -report out/ridge.json >out/ridge.md
mv out/ridge.md bench/RESULTS-ridge.md
