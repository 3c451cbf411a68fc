#!/bin/sh
# Check that rff is the same program everywhere. With no argument: all but race.
#
#	ci/portability.sh vet        go vet as on amd64
#	ci/portability.sh fused      no multiply-add but those the source spells (ci/contraction.sh)
#	ci/portability.sh assembly   go vet with other assembly or none; what is committed is what its generators write
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
PACKAGES=${PACKAGES:-. ./asm/... ./blas/... ./cmd/rff/compare ./cmd/rff/report ./internal/... ./krr/... ./quality/... ./sampling/...}
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
	say "vet amd64"
	GOARCH=amd64 $GO vet github.com/rffgo/rff/...
}

# vetted ARCH[,TAG] PACKAGES...
vetted() {
	build=$1
	shift
	say "vet $build"
	case $build in *,*) tags=${build#*,} ;; *) tags= ;; esac
	GOARCH=${build%%,*} $GO vet -tags "$tags" "$@"
}

fused() {
	say "fused multiply-adds"
	ci/contraction.sh
}

assembly() {
	# On other CPUs only package asm differs, with assembly or without; what stands on it sees
	# each once. riscv64 is compiled where it is tested.
	vetted arm64 ./asm/...
	# Both tags leave the same files out, here and on arm64, where purego is tested.
	vetted amd64,noasm ./asm/... ./blas
	say "generators"
	(cd asm/_gen && $GO vet ./... && $GO test ./... && ${MAKE:-make} -s check)
}

# try NAME VARIABLE=VALUE... -- ARGUMENTS...: the short tests under a different CPU.
# Output comes at the end, in one piece.
try() {
	name=$1
	shift
	vars=
	while [ "$1" != -- ]; do
		vars="$vars $1"
		shift
	done
	shift
	status=0
	# shellcheck disable=SC2086
	out=$(env $vars "$GO" test -vet=off -short -count=1 -timeout 60m "$@" 2>&1) || status=1
	case $out in *"no tests to run"*) status=1 ;; esac # a pattern that nothing has
	printf '== test %s\n%s\n' "$name" "$out"
	return $status
}

# here ISA: whether this machine has the instruction set, and its own tests run it.
here() {
	case $1,$($GO env GOHOSTARCH) in
	avx2,amd64) grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo ;;
	neon,arm64) ;;
	*) false ;;
	esac
}

# bits ISA: the tests of what pins bits, and of the choice of kernels. One instruction set
# with one worker has to give the pinned bits; the host has those of more.
bits() { echo "Golden/^$1(,1)?\$|Bind|Required|Tables|Portable|CosBits|ReferenceFMA"; }

# kernels ARCH ISA NAME QEMU...: the tests of a CPU with kernels in assembly.
kernels() {
	arch=$1 isa=$2 name=$3
	shift 3
	on="GOARCH=$arch RFF_TEST_REQUIRE=$isa -- -exec '$*'"
	if here "$isa"; then
		# The host has tested these kernels and what stands on them, and read that their
		# instructions are of AVX2. Left is that such a CPU gets them and gives the
		# pinned bits, which packages above blas have by them. A host without AVX-512 is such a CPU.
		[ "$isa" != avx2 ] || grep -qw avx512f /proc/cpuinfo || return 0
		echo "'$name: bits' $on -run '$(bits "$isa")' ./asm ./blas"
		return
	fi
	# QEMU 7 reads the lanes that VMASKMOV masks off, which faults on the fenced
	# pages of the bounds tests; processors do not.
	# How blas keeps and divides its work is the same for all kernels: of Golden one number of
	# workers beyond one is enough, on the kernels in assembly.
	skipped='WorkspaceLeftovers|PartsOfFrequencies|SumsOfManyWorkers|SlowWorker|^TestNative$|^TestGonum$|Golden/,3$|Golden/^go,8$'
	[ "$isa" != avx2 ] || skipped="$skipped|^(Test|Fuzz)Bounds|HostileSizes"
	# The kernels and the engine in full; of what is plain Go above them what pins
	# bits. Equal bits have the accuracy and the statistics that the host has tested. QEMU cannot
	# start what it emulates once more: tests of processes and files stay out.
	echo "'$name' $on -skip '$skipped' ./asm/... ./blas"
	echo "'$name: plain Go' $on -run 'SameBits|GoldenBits|Special|NotFinite|Mirror|Fitting|Clone|Row|Absent' ./internal/dense ./internal/eigen ./internal/portable ./internal/require ./internal/scaling"
	echo "'$name: features' $on -run 'Transform|Values|FarRows|UnresolvedRows|Rescale|Tensors|Concurrent' ."
	echo "'$name: learner and samplers' $on -run 'Golden/^$isa,1$|QR|FitClasses' ./krr ./sampling ./quality"
}

# builds lists what emulated tries, a line each.
builds() {
	arm=$(emulator aarch64)
	x86=$(emulator x86_64)
	riscv=$(emulator riscv64)
	command -v node >/dev/null || {
		echo "$0: node is not installed (Debian: nodejs)" >&2
		exit 1
	}
	# Go's own packages but math have no arithmetic that is tested. Where nothing else compiles
	# them, a sixth less is compiled without optimizing them.
	plain="'-gcflags=std=-dwarf=false -N -l' -gcflags=math/...=-dwarf=false"
	kernels arm64 neon "arm64, neon" "$arm"
	kernels amd64 avx2 "amd64, avx2" "$x86" -cpu Haswell
	# Here every multiply-add is made of integers, which are emulated as well. What stands on the
	# kernels is the code that the host runs on its kernels in Go.
	echo "'Nehalem, without AVX2' GOARCH=amd64 RFF_TEST_REQUIRE=go -- -exec '$x86 -cpu Nehalem' -run '$(bits go)' ./asm ./blas"
	# Compilers that fuse, or lack, multiply-adds must leave the bits of the reference kernels alone.
	# With their bits kernels in Go have the accuracy that the host has tested.
	echo "'riscv64' GOARCH=riscv64 -- $plain -exec '$riscv' -run '$(bits go)' ./asm"
	# Nothing is in assembly there, so all that may be fused is: it stands for GOAMD64=v3
	# as well, since ci/contraction.sh reads on arm64 that only what says so is fused.
	echo "'arm64, purego' GOARCH=arm64 -- -tags purego -exec '$arm' -run 'Golden|Portable|Tables' ./asm"
	# WebAssembly, which the page for browsers is, in plain Go, and on one processor.
	echo "'wasm' GOOS=js GOARCH=wasm -- -exec '$($GO env GOROOT)/lib/wasm/go_js_wasm_exec' -run 'Golden/,1\$|IntegerSums' ./blas"
	# An x86-64 host runs 386 programs itself; QEMU 7 crashes in Go's runtime.
	if [ "$($GO env GOHOSTARCH)" = amd64 ]; then
		echo "'386' GOARCH=386 -- $plain -run '$(bits go)|Bounds|Special' ./asm"
		echo "'386: learner' GOARCH=386 -- $plain -run 'Golden/,1$' ./quality ./krr"
	fi
}

emulated() {
	list=$(builds) # ends here if an emulator is missing
	say "tests on emulated and differently compiled CPUs"
	# Two at a time: most run on one core.
	echo "$list" | xargs -P 2 -L 1 sh ci/portability.sh try
}

race() {
	say "race"
	# shellcheck disable=SC2086
	$GO test -race -tags purego -short -count=1 -timeout 60m $PACKAGES
}

[ $# -gt 0 ] || set -- vet fused assembly emulated
if [ "$1" = try ]; then
	shift
	try "$@"
	exit
fi
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
