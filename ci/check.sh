#!/bin/sh
# What every change must pass, in minutes: vet, staticcheck and deadcode, the short tests of
# all modules but beam, and the committed assembly. ci/full.sh has the rest: as arguments of
# this, it takes the place of the short tests. Packages get an hour, which a machine with
# forty times its work to do can keep.
set -eu
cd "$(dirname "$0")/.."
export GO="${GO:-go}"
[ "${RFF_VETTED:-}" = amd64 ] || sh ci/portability.sh vet
export RFF_VETTED=amd64
# Lint spends half of its time on one processor: beside it go what fill the other, on
# packages that vet has compiled.
printed=$(mktemp)
sh ci/lint.sh >"$printed" 2>&1 &
lint=$!
status=0
sh ci/portability.sh fused assembly || status=1
if [ $# -gt 0 ]; then
	"$@" || status=1
else
	echo "== short tests"
	$GO test -count=1 -short -timeout 60m -vet=off github.com/rffgo/rff/... || status=1
fi
wait "$lint" || status=1
cat "$printed"
rm "$printed"
[ $status = 0 ] && echo "== check passed"
exit $status
