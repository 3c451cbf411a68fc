#!/bin/sh
# Measures Auto beside boosted trees and a grid of plain features, and writes the table.
#   DATA=folder [SEEDS=1,2,3] [ROWS=0] [SETS=a,b] bench/boosting/run.sh results.jsonl table.md
# Needs Python 3 with scikit-learn (Debian: python3-sklearn).
set -e
results=$1 table=$2
: "${DATA:?the folder of the data sets}" "${SEEDS:=1,2,3}" "${ROWS:=0}"
here=$(dirname "$0")
splits=$(mktemp -d)
trap 'rm -rf "$splits"' EXIT
set -- -data "$DATA" -seeds "$SEEDS" -rows "$ROWS" -results "$results" ${SETS:+-sets "$SETS"}
go run "./$here" "$@" -methods auto,quick,plain
go run "./$here" "$@" -export "$splits"
${PYTHON:-python3} "$here/boosting.py" "$splits" "$results"
go run "./$here" -results "$results" -report "$table"
