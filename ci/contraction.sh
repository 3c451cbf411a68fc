#!/bin/sh
# Fail where the compiler fuses a product and a sum that the source does not
# spell math.FMA (or asm's fma). It may do so across statements on arm64 and
# others, never on plain amd64, so such a line has different bits there. Write
# float64(x*y) + z instead. (Programs, reports, the conformance suite, which has
# tolerances, the Parquet reader, which computes nothing, and Brotli's, which alone
# of the library takes net/http to compile, are exempt.)
set -eu
cd "$(dirname "$0")/.."
GO=${GO:-go}
module=github.com/rffgo/rff
packages=$($GO list $module/... | grep -v -e _gen -e /bench -e /cmd -e /examples -e /dataset/parquet -e /dataset/brotli)
fused=$(
	# shellcheck disable=SC2086
	GOARCH=arm64 $GO build -gcflags=all=-dwarf=false -gcflags="$module/...=-S -dwarf=false" $packages 2>&1 |
		grep -E '	FN?M(ADD|SUB)[DS]	' | grep -oE '\([^()]*\.go:[0-9]+\)' | tr -d '()' | sort -u |
		while IFS=: read -r file line; do
			sed -n "${line}{/FMA(\|fma(/!s|^[[:space:]]*|${file#"$PWD"/}:$line: |p}" "$file"
		done
)
[ -z "$fused" ] || {
	echo "$fused"
	echo "$0: lines above are fused on arm64 without saying so" >&2
	exit 1
}
