#!/bin/sh
# Build the wheel of the Python package, install it into an environment of its own with
# scikit-learn, pandas, polars and Arrow from the package index, and run its tests and its
# example there. It takes a C compiler, Python with venv, and the index: without them it ends
# with the status 77.
set -eu
cd "$(dirname "$0")/.."
export GO="${GO:-go}"
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
echo "== Python: build and install"
if [ "$($GO env CGO_ENABLED)" != 1 ] || ! command -v "$($GO env CC)" >/dev/null || ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
	echo "$0: a C compiler or Python's venv is absent" >&2
	exit 77
fi
python3 -m venv "$temp/env"
python=$temp/env/bin/python
"$python" -m pip install -q --no-compile --disable-pip-version-check --retries 1 --timeout 30 scikit-learn pandas polars pyarrow matplotlib auditwheel >"$temp/pip" 2>&1 &
pip=$!
sh python/build.sh "$temp" >"$temp/wheel"
wait "$pip" || {
	cat "$temp/pip"
	exit 77
}
wheel=$(cat "$temp/wheel")
"$python" -m pip install -q --disable-pip-version-check --no-deps "$wheel"
# What auditwheel finds is at least as old a glibc as the name of the wheel says.
"$temp/env/bin/auditwheel" show "$wheel" | tr '\n' ' ' | grep -q 'constrains the platform tag to *"manylinux_' || {
	"$temp/env/bin/auditwheel" show "$wheel"
	exit 1
}
$GO -C python/lib vet .
RFF_COMMAND=$PWD/bin/rff
if [ ! -x "$RFF_COMMAND" ]; then
	RFF_COMMAND=$temp/rff
	$GO build -o "$RFF_COMMAND" ./cmd/rff
fi
export RFF_COMMAND
echo "== Python: tests and example"
# Each half has its own processor; from the folder of the environment, so that the installed
# package is what is tested.
root=$PWD
cd "$temp"
"$python" "$root/python/tests/check_estimator.py" >"$temp/checks" 2>&1 &
checks=$!
status=0
"$python" -m unittest discover -q -s "$root/python/tests" || status=1
"$python" "$root/python/examples/notebook.py" "$temp/picture.png" || status=1
wait "$checks" || status=1
cat "$temp/checks"
[ $status = 0 ] && echo "== Python passed"
exit $status
