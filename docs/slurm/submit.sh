#!/bin/sh
# Fit a model to many files on a Slurm cluster:
#
#	FIT='--label y --features 1024' SOLVE='' sh submit.sh parts.txt model.safetensors
#
# parts.txt names a file on each line; all machines see them and the folder that
# this is called in. FIT has the flags of rff gram for the plan, DATA those that say
# how to read the parts (the same --label, --format, --weights). The plan is made by all
# parts, which one task reads, or with PLAN=first by the first one alone.
set -eu
PARTS=$1 MODEL=$2
: "${PLAN:=all}" "${FIT:=}" "${SOLVE:=}" "${DATA:=}" "${FAN:=8}" "${RFF:=rff}" "${GRAMS:=grams}"
SCRIPTS=$(cd "$(dirname "$0")" && pwd)
export PARTS MODEL PLAN FIT SOLVE DATA FAN RFF GRAMS SCRIPTS
count=$(grep -c . "$PARTS")
mkdir -p "$GRAMS"

case $PLAN in
all) first=0 ;;
first) first=1 ;;
*) echo "PLAN=$PLAN: must be all or first" >&2; exit 2 ;;
esac
job=$(sbatch --parsable --array=$first "$SCRIPTS/gram.sbatch")
if [ "$count" -gt $first ]; then
	job=$job:$(sbatch --parsable --array=$((first + 1))-"$count" --dependency=afterok:"$job" "$SCRIPTS/gram.sbatch")
fi
LEVEL=0
while [ "$count" -gt 1 ]; do
	LEVEL=$((LEVEL + 1)) COUNT=$count
	count=$(((count + FAN - 1) / FAN))
	export LEVEL COUNT
	job=$(sbatch --parsable --array=1-"$count" --dependency=afterok:"$job" "$SCRIPTS/merge.sbatch")
done
export LEVEL
sbatch --parsable --dependency=afterok:"$job" "$SCRIPTS/solve.sbatch"
