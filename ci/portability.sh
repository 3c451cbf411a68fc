#!/bin/sh
# Check that rff is the same program everywhere. With no argument: all but race.
#
#	ci/portability.sh vet        go vet over {default, purego, noasm} × {amd64, arm64}, and riscv64, 386
#	ci/portability.sh fused      no multiply-add but those the source spells (ci/contraction.sh)
#	ci/portability.sh assembly   the committed assembly is what its generators write
#	ci/portability.sh emulated   tests on emulated and differently compiled CPUs
#	ci/portability.sh race       the race detector, which sees only Go: on the reference kernels
#
# RFF_TEST_REQUIRE makes tests fail that would skip the kernels a CPU is there
# for. Variables: GO (go), PACKAGES (what emulated and race test), QEMU (where
# the emulators are named otherwise than qemu-ARCH-static).
#
# QEMU 7 emulates NEON and AVX2, not AVX-512: the host's own tests cover that.
set -eu
cd "$(dirname "$0")/.."
export GO="${GO:-go}"
PACKAGES=${PACKAGES:-. ./asm/... ./blas/... ./internal/... ./krr/... ./quality/... ./sampling/...}
QEMU=${QEMU:-qemu-%s-static}

say() { echo "== $*"; }

emulator() {
	# shellcheck disable=SC2059
	name=$(printf "$QEMU" "$1")
	command -v "$name" >/dev/null || {
		echo "$0: $name is not installed (Debian: qemu-user-static)" >&2
		exit 1
	}
	echo "$name"
}

vet() {
	# Where there is no assembly the tags that leave it out change nothing.
	for build in amd64 amd64,purego amd64,noasm arm64 arm64,purego arm64,noasm riscv64 386; do
		say "vet $build"
		case $build in *,*) tags=${build#*,} ;; *) tags= ;; esac
		GOARCH=${build%%,*} $GO vet -tags "$tags" ./...
	done
}

fused() {
	say "fused multiply-adds"
	ci/contraction.sh
}

assembly() {
	say "generators"
	(cd asm/_gen && $GO vet ./... && $GO test ./... && ${MAKE:-make} -s check)
}

# try NAME VARIABLE=VALUE... -- ARGUMENTS...: the short tests under a different CPU.
try() {
	say "test $1"
	shift
	vars=
	while [ "$1" != -- ]; do
		vars="$vars $1"
		shift
	done
	shift
	# shellcheck disable=SC2086
	env $vars $GO test -short -count=1 -timeout 10m "$@"
}

emulated() {
	arm=$(emulator aarch64)
	x86=$(emulator x86_64)
	riscv=$(emulator riscv64)
	# The kernels and the engine in full; of what is plain Go above them, the fits
	# and maps whose bits are pinned and the solver against another one.
	#
	# QEMU 7 reads the lanes that VMASKMOV masks off, which faults on the fenced
	# pages of the bounds tests; processors do not, as the host's own run shows. Nor
	# can it start what it emulates once more: tests of processes and files, which
	# the host runs too, stay out.
	arithmetic="./internal/dense ./internal/eigen ./internal/portable ./internal/require ./internal/scaling"
	for cpu in "arm64 neon ^TestEnvironment$ $arm" "amd64 avx2 ^((Test|Fuzz)Bounds|TestEnvironment)$ $x86 -cpu Haswell"; do
		# shellcheck disable=SC2086
		set -- $cpu
		arch=$1 isa=$2 skip=$3
		shift 3
		try "$arch, $isa" GOARCH="$arch" RFF_TEST_REQUIRE="$isa" -- -exec "$*" -skip "$skip" . ./asm/... ./blas/... $arithmetic
		try "$arch, $isa: learner and samplers" GOARCH="$arch" RFF_TEST_REQUIRE="$isa" -- -exec "$*" -run 'Golden|QR|FitClasses' ./krr ./sampling
	done
	# Here every multiply-add is made of integers, thrice emulated: fewer packages.
	try "Nehalem, without AVX2" GOARCH=amd64 RFF_TEST_REQUIRE=go -- -exec "$x86 -cpu Nehalem" ./asm/... ./blas
	try "Nehalem: learner" GOARCH=amd64 RFF_TEST_REQUIRE=go -- -exec "$x86 -cpu Nehalem" -run Golden ./krr
	# Compilers that fuse, or lack, multiply-adds must leave the bits of the reference kernels alone.
	try "amd64 v3" GOARCH=amd64 GOAMD64=v3 -- ./asm/...
	# Files of every kind, and diagnostics, however the Go around the kernels is built.
	try "amd64 v3: learner" GOARCH=amd64 GOAMD64=v3 -- -run Golden ./quality ./krr
	try "amd64, noasm: learner" GOARCH=amd64 -- -tags noasm -run Golden ./quality ./krr
	try "amd64, purego: learner" GOARCH=amd64 -- -tags purego -run Golden ./quality ./krr
	try "arm64, purego" GOARCH=arm64 -- -tags purego -exec "$arm" ./asm/...
	try "riscv64" GOARCH=riscv64 -- -exec "$riscv" ./asm/...
	# An x86-64 host runs 386 programs itself; QEMU 7 crashes in Go's runtime.
	if [ "$($GO env GOHOSTARCH)" = amd64 ]; then
		try "386" GOARCH=386 -- ./asm/...
		try "386: learner" GOARCH=386 -- -run Golden ./quality ./krr
	fi
}

race() {
	say "race"
	# shellcheck disable=SC2086
	$GO test -race -tags purego -short -count=1 -timeout 10m $PACKAGES
}

[ $# -gt 0 ] || set -- vet fused assembly emulated
for part; do
	case $part in
	vet | fused | assembly | emulated | race) "$part" ;;
	*)
		echo "$0: unknown part $part (vet, fused, assembly, emulated, race)" >&2
		exit 2
		;;
	esac
done
say "done"
