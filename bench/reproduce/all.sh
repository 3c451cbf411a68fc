#!/bin/sh
# Runs every experiment with both protocols, as far as they are not done.
set -eu
./bin/rffbench reproduce --list | sed -n 's/^\([a-z0-9-]*\): .*/\1/p' | while read -r experiment; do
	./bin/rffbench reproduce --list | awk -v e="$experiment:" '$1 == e { on = 1; next } /^[a-z]/ { on = 0 } on && $1 == "--protocol" { sub(":", "", $2); print $2 }' |
		while read -r protocol; do
			./bin/rffbench reproduce "$experiment" --protocol "$protocol" --out out/reproduce "$@"
		done
done
