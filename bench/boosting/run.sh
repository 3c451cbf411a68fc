#!/bin/sh
# Measures Auto beside boosted trees and a grid of plain features, and writes the table.
#   DATA=folder [SEEDS=1,2,3] [ROWS=0] [SETS=a,b] [NO_TUNING=mnist] bench/boosting/run.sh results.jsonl table.md
# It may be stopped and started again: results are lines of JSON, and the first seed of
# every set comes first. NO_TUNING names sets whose trees have their defaults only.
# Needs Python 3 with scikit-learn (Debian: python3-sklearn).
set -e
results=$1 table=$2
: "${DATA:?the folder of the data sets}" "${SEEDS:=1,2,3}" "${ROWS:=0}"
here=$(dirname "$0")
splits=$(mktemp -d)
trap 'rm -rf "$splits"' EXIT
set -- -data "$DATA" -rows "$ROWS" -results "$results" ${SETS:+-sets "$SETS"}
for seed in $(echo "$SEEDS" | tr , ' '); do
	go run "./$here" "$@" -seeds "$seed" -methods auto,plain
	go run "./$here" "$@" -seeds "$seed" -export "$splits"
	${PYTHON:-python3} "$here/boosting.py" "$splits" "$results" --most "$ROWS" ${NO_TUNING:+--no-tuning "$NO_TUNING"}
	rm -f "$splits"/*
done
go run "./$here" -results "$results" -report "$table"
