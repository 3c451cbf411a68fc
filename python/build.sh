#!/bin/sh
# Build the Python package as a wheel, without network: the library as a shared object, by Go
# and a C compiler, and Python files around it.
#
#	python/build.sh [FOLDER]    FOLDER is where the wheel goes (out/python)
set -eu
cd "$(dirname "$0")/.."
GO=${GO:-go}
PYTHON=${PYTHON:-python3}
out=${1:-out/python}
if [ "$($GO env CGO_ENABLED)" != 1 ] || ! command -v "$($GO env CC)" >/dev/null; then
	echo "$0: needs a C compiler for the shared object (Debian: gcc libc6-dev)" >&2
	exit 1
fi
mkdir -p "$out"
out=$(cd "$out" && pwd)
CGO_ENABLED=1 $GO -C python/lib build -buildmode=c-shared -trimpath -buildvcs=auto -gcflags=all=-dwarf=false -ldflags "-s -w" -o "$out/librff.so" .
$PYTHON python/wheel.py "$out/librff.so" "$out"
rm -f "$out/librff.so" "$out/librff.h"
