#!/bin/sh
# Fail on staticcheck's findings, on functions that neither a program nor a test reaches, and
# on what does not fit where an int has 32 bits. The tools come from the module proxy, pinned, and
# are no dependency of the module. With OpenBLAS here, its files are looked at too.
set -eu
cd "$(dirname "$0")/.."
GO=${GO:-go}
export GOGC="${GOGC:-400}" # a sixth of the time less, in 3 GB
STATICCHECK=honnef.co/go/tools/cmd/staticcheck@v0.8.2
DEADCODE=golang.org/x/tools/cmd/deadcode@v0.51.0 # of the packages of staticcheck, which are compiled once

tags=
if [ "$($GO env CGO_ENABLED)" = 1 ] && pkg-config --exists openblas 2>/dev/null; then
	tags=openblas
fi
echo "== staticcheck"
# Without the tag, as the tests are compiled; what has it is looked at apart.
$GO run $STATICCHECK github.com/rffgo/rff/...
if [ -n "$tags" ]; then
	$GO run $STATICCHECK -tags "$tags" -tests=false .
	$GO run $STATICCHECK -tags "$tags" ./cgo
fi
echo "== deadcode"
# With bench, so that what the library has for bench alone counts as used.
dead=$($GO run $DEADCODE -test -tags "$tags" -filter "^github.com/rffgo/rff\b" github.com/rffgo/rff/...)
# Without OpenBLAS no test reaches its backend, nor the registry that it alone is in.
[ -n "$tags" ] || dead=$(echo "$dead" | grep -v -e '^cgo/' -e '^blas/engine.go.*: Register$' || true)
if [ -n "$dead" ]; then
	echo "$dead"
	echo "$0: nothing reaches these: test them, use them or remove them" >&2
	exit 1
fi
echo "== types for 386"
# It reads all from its source first, as a compiler does, in a tenth of a compiler's time.
# shellcheck disable=SC2046
$GO run -exec "env GOARCH=386" $DEADCODE -filter '^$' $($GO list github.com/rffgo/rff/... | grep -v -e _gen -e /bench)
