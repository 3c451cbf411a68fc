#!/bin/sh
# Run every test that this machine can run; say plainly what it cannot (make test). On a
# machine with Go and nothing else the first part passes.
#
# Variables: GO (go), RFF_DATA (folder of the real data sets), and
# RFF_TEST_REQUIRE, which names what must be there (internal/require).
set -eu
cd "$(dirname "$0")/.."
export GO="${GO:-go}"
absent=

missing() { absent="$absent
  $1"; }

if [ -n "${RFF_DATA:-}" ] && [ -d "$RFF_DATA" ]; then
	echo "== real data sets in $RFF_DATA"
else
	unset RFF_DATA
	missing "real data sets: their tests were skipped (set RFF_DATA to their folder)"
fi
python3 -c 'import numpy' 2>/dev/null || /usr/bin/python3 -c 'import numpy' 2>/dev/null ||
	missing "NumPy: the test that reads a model from Python was skipped (Debian: python3-numpy)"

"${RFF_ONNX:-}/bin/python" -c 'import onnx, onnxruntime' 2>/dev/null || python3 -c 'import onnx, onnxruntime' 2>/dev/null ||
	missing "onnxruntime: no ONNX graph was run in Python and Node (sh ci/onnx.sh FOLDER, and RFF_ONNX=FOLDER)"

command -v chromium >/dev/null ||
	missing "Chromium: no report was opened in a browser, and no page fitted anything (Debian: chromium)"

# RFF_VETTED is the architecture that what calls this has vetted: even from its cache, Go takes
# seconds to say so.
if [ "${RFF_VETTED:-}" != "$($GO env GOARCH)" ]; then
	echo "== vet"
	$GO vet github.com/rffgo/rff/...
fi
echo "== tests"
# Vetted above, so -vet=off: go test would vet every dependency once more. Those that take
# longest begin, so that none ends alone on one processor.
rff=github.com/rffgo/rff
$GO test -count=1 -timeout 60m -vet=off $rff/krr $rff/sampling $rff/bench/web $rff/cmd/rff $rff/bench/site $rff/krr/internal/race $rff/...

# The names of RFF_TEST_REQUIRE that are no business of Go tests.
required() { case ",${RFF_TEST_REQUIRE:-}," in *",$1,"*) return 0 ;; esac; return 1; }

# Emulators and a cluster wait much of the time, and so does what comes next: side by side they leave
# no processor idle.
behind=
beside() {
	printed=$(mktemp)
	"$@" >"$printed" 2>&1 &
	behind="$behind $!:$printed"
}
trap 'for b in $behind; do kill "${b%%:*}" 2>/dev/null || true; done' EXIT
if command -v qemu-aarch64-static >/dev/null && command -v qemu-x86_64-static >/dev/null; then
	# Not the real data sets: emulation is slow, and the host has tested them.
	beside env -u RFF_TEST_REQUIRE -u RFF_DATA sh ci/portability.sh emulated
else
	missing "emulated CPUs: kernels of other CPUs than this one were not tested (Debian: qemu-user-static)"
fi
if required slurm || command -v slurmctld >/dev/null; then
	beside sh ci/slurm.sh
else
	missing "Slurm: docs/slurm was not run (Debian: slurm-wlm munge)"
fi

if [ "$($GO env CGO_ENABLED)" = 1 ] && command -v "$($GO env CC)" >/dev/null && pkg-config --exists openblas 2>/dev/null; then
	echo "== tests with OpenBLAS $(pkg-config --modversion openblas)"
	${MAKE:-make} -s GO="$GO" test-openblas
else
	missing "OpenBLAS: its backend was not tested (Debian: gcc pkg-config libopenblas-dev)"
fi

if required beam || (cd beam && $GO list -deps ./... >/dev/null 2>&1); then
	echo "== Beam"
	(cd beam && $GO vet ./... && $GO test -count=1 -timeout 60m -vet=off ./...)
else
	missing "Beam: its module was not tested (it takes Go 1.26 and the module proxy)"
fi
status=0
sh ci/python.sh || status=$?
case $status in
0) ;;
77)
	required wheel && exit 1
	missing "Python: its package was not built and tested (Debian: gcc libc6-dev python3-venv, and the package index)"
	;;
*) exit $status ;;
esac

status=0
for b in $behind; do
	wait "${b%%:*}" || status=$?
	cat "${b#*:}"
	rm -f "${b#*:}"
done
behind=
[ "$status" = 0 ] || exit "$status"

if [ -n "$absent" ]; then
	echo "== passed. Absent here, and so not tested:$absent"
else
	echo "== passed; every optional part was there"
fi
