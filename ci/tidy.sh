#!/bin/sh
# Tidy every module. Those beside the library name no release of it, so go mod tidy runs
# on a copy of their go.mod that replaces it by this tree.
set -eu
cd "$(dirname "$0")/.."
GO=${GO:-go}
root=$(pwd)
$GO mod tidy
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
for module in bench beam; do
	cp $module/go.mod $module/go.sum "$temp"
	echo "replace github.com/rffgo/rff => $root" >>"$temp/go.mod"
	(cd $module && GOWORK=off $GO mod tidy -modfile="$temp/go.mod")
	grep -v '^replace' "$temp/go.mod" | cat -s >"$temp/tidy"
	sed -e '$ { /^$/d }' "$temp/tidy" >$module/go.mod
	cp "$temp/go.sum" $module/go.sum
done
