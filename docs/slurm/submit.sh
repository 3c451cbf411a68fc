#!/bin/sh
# Fit a model to many files on a Slurm cluster:
#
#	FIT='--label y --features 1024' SOLVE='' sh submit.sh parts.txt model.safetensors
#
# parts.txt names a file on each line; all machines see them and the folder that
# this is called in. FIT has the flags of rff gram for the first part, DATA those
# that say how to read all others (the same --label, --format, --weights).
set -eu
PARTS=$1 MODEL=$2
: "${FIT:=}" "${SOLVE:=}" "${DATA:=}" "${FAN:=8}" "${RFF:=rff}" "${GRAMS:=grams}"
SCRIPTS=$(cd "$(dirname "$0")" && pwd)
export PARTS MODEL FIT SOLVE DATA FAN RFF GRAMS SCRIPTS
count=$(grep -c . "$PARTS")
mkdir -p "$GRAMS"

job=$(sbatch --parsable --array=1 "$SCRIPTS/gram.sbatch")
if [ "$count" -gt 1 ]; then
	job=$job:$(sbatch --parsable --array=2-"$count" --dependency=afterok:"$job" "$SCRIPTS/gram.sbatch")
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
