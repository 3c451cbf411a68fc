#!/bin/sh
# Tidy every module. They name each other in versions that may not be released yet, so go mod
# tidy runs on a copy of their go.mod that replaces all of them by this tree.
set -eu
cd "$(dirname "$0")/.."
GO=${GO:-go}
root=$(pwd)
prefix=github.com/rffgo/rff
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
modules="$($GO list -m) $prefix/beam $prefix/bench/gonum/gomlx $prefix/python/lib"
for module in $modules; do
	echo "replace $module => $root${module#"$prefix"}"
done >"$temp/replace"
for module in $modules; do
	cd "$root${module#"$prefix"}"
	cat go.mod "$temp/replace" >"$temp/go.mod"
	: >"$temp/go.sum"
	[ ! -e go.sum ] || cp go.sum "$temp"
	GOWORK=off $GO mod tidy -modfile="$temp/go.mod"
	grep -v '^replace' "$temp/go.mod" | cat -s >"$temp/tidy"
	sed -e '$ { /^$/d }' "$temp/tidy" >go.mod
	if [ -s "$temp/go.sum" ]; then cp "$temp/go.sum" .; fi
done
