#!/bin/sh
# Install the runtimes that the tests of the module onnx run graphs in: a Python environment
# with onnx and onnxruntime, and onnxruntime-node where npm is. A minute each on a quiet line.
#
#	sh ci/onnx.sh FOLDER
#	RFF_ONNX=$(realpath FOLDER) go test ./onnx
set -eu
folder=${1:?"usage: sh ci/onnx.sh FOLDER"}
"$folder/bin/python" -c 'import onnx, onnxruntime' 2>/dev/null || {
	python3 -m venv "$folder"
	"$folder/bin/pip" install --quiet --no-compile --disable-pip-version-check --retries 1 --timeout 30 onnx onnxruntime
}
if command -v npm >/dev/null && [ ! -d "$folder/node_modules/onnxruntime-node" ]; then
	# The scripts of the package would fetch what a graphics card needs.
	npm install --fetch-retries 1 --fetch-timeout 30000 --prefix "$folder" --silent --no-audit --no-fund --ignore-scripts onnxruntime-node
fi
