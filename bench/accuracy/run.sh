#!/bin/sh
# Measures Auto beside what other libraries offer, and writes a table. It may be stopped and
# started again: results are lines of JSON.
#
#   bench/accuracy/run.sh catalogue results.jsonl table.md   random splits of the sets in DATA
#   bench/accuracy/run.sh talent results.jsonl table.md      ranks among published figures: TALENT has the tasks and published.csv
#   bench/accuracy/run.sh small results.jsonl table.md       few rows: five folds, five times
#   bench/accuracy/run.sh folds results.jsonl table.md       all rows of the SETS of TALENT: five folds, REPEATS times
#   bench/accuracy/run.sh packages results.jsonl table.md    sets within packages of the index: one division
#                                                            each, or DIVISIONS=5 of each of five sets of words,
#                                                            or with TABLES=modeldata the tables of that package,
#                                                            or with TABLES=others of others of R
#
# Variables: SEEDS=1,2,3 SETS=a,b ROWS=0 METHODS (of other libraries) BUDGET=30s
# PYTHON, which needs pandas, scikit-learn, lightgbm, xgboost and catboost for its methods, and
# xrfm or pytabkit for those of these names (realmlp).
set -e
kind=$1 results=$2 table=$3
: "${SEEDS:=1,2,3}" "${ROWS:=0}" "${PYTHON:=python3}" "${BUDGET:=30s}"
here=$(dirname "$0")
tasks=$(mktemp -d)
trap 'rm -rf "$tasks"' EXIT
accuracy() { (cd "$here" && go run . -results "$results" "$@"); }
case $results in /*) ;; *) results=$PWD/$results ;; esac
case $table in /*) ;; *) table=$PWD/$table ;; esac
set -- -seeds "$SEEDS" -budget "$BUDGET" ${SETS:+-sets "$SETS"}
case $kind in
catalogue)
	: "${DATA:?the folder of the data sets}"
	accuracy -data "$DATA" -rows "$ROWS" "$@" -methods auto,plain
	accuracy -data "$DATA" -rows "$ROWS" "$@" -export "$tasks"
	"$PYTHON" "$here/rivals.py" "$tasks" "$results" --most "$ROWS" --methods "${METHODS:-trees,trees-tuned}"
	accuracy -report "$table"
	;;
talent)
	: "${TALENT:?the folder of the tasks and of published.csv}"
	accuracy -tasks "$TALENT" "$@" -methods auto
	"$PYTHON" "$here/rivals.py" "$TALENT" "$results" --seeds "$SEEDS" ${SETS:+--sets "$SETS"} ${METHODS:+--methods "$METHODS"}
	accuracy -report "$table" -table ranks -published "$TALENT/published.csv"
	;;
small | folds)
	if [ "$kind" = small ]; then
		"$PYTHON" "$here/small.py" "$tasks"
	else
		: "${TALENT:?the folder of the tasks}" "${SETS:?names of tasks, separated by commas}"
		# shellcheck disable=SC2046 # one word for each set
		"$PYTHON" "$here/small.py" "$tasks" "${REPEATS:-5}" "$TALENT" $(echo "$SETS" | tr , ' ')
	fi
	accuracy -tasks "$tasks" "$@" -methods auto
	"$PYTHON" "$here/rivals.py" "$tasks" "$results" ${SETS:+--sets "$SETS"} --methods "${METHODS:-trees,trees-tuned,forest,forest-tuned,svm,kernel-ridge,lightgbm,lightgbm-td,catboost,catboost-td}"
	accuracy -report "$table" -table spread
	;;
packages)
	"$PYTHON" "$here/packages.py" "$tasks" ${DIVISIONS:+--divisions "$DIVISIONS"} ${TABLES:+--tables "$TABLES"}
	accuracy -tasks "$tasks" "$@" -methods auto
	"$PYTHON" "$here/rivals.py" "$tasks" "$results" --seeds "$SEEDS" ${SETS:+--sets "$SETS"} --methods "${METHODS:-lightgbm,lightgbm-td,xgboost-td,catboost-td}"
	accuracy -report "$table" -table spread
	;;
*)
	echo "the first word must be catalogue, talent, small or packages" >&2
	exit 2
	;;
esac
