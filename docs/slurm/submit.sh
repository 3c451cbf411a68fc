#!/bin/sh
# Fit a model to many files on a Slurm cluster:
#
#	DATA='--label y' FIT='--features 1024' SOLVE='' sh submit.sh parts.txt model.safetensors
#
# parts.txt names a file on each line; all machines see them and the folder that
# this is called in. DATA has the flags that say how to read the parts (--label, --format,
# --weights), CELLS what becomes of their cells (--missing, --categories, --keep), FIT
# those of rff gram for the plan. The plan is made by all parts, each of which a task
# looks at, or with PLAN=first by the first one alone.
set -eu
PARTS=$1 MODEL=$2
: "${PLAN:=parts}" "${FIT:=}" "${SOLVE:=}" "${DATA:=}" "${CELLS:=}" "${FAN:=8}" "${RFF:=rff}" "${GRAMS:=grams}"
SCRIPTS=$(cd "$(dirname "$0")" && pwd)
count=$(grep -c . "$PARTS")
export PARTS MODEL PLAN FIT SOLVE DATA CELLS FAN RFF GRAMS SCRIPTS
mkdir -p "$GRAMS"

# tree merges the files of $KIND that the jobs $job write, into $GRAMS/$LEVEL-1.$KIND.
tree() {
	LEVEL=0 n=$count
	while [ "$n" -gt 1 ]; do
		LEVEL=$((LEVEL + 1)) COUNT=$n
		n=$(((n + FAN - 1) / FAN))
		export LEVEL COUNT
		job=$(sbatch --parsable --array=1-"$n" --dependency=afterok:"$job" "$SCRIPTS/merge.sbatch")
	done
	export LEVEL
}

export KIND LIKE= LOOK=
case $PLAN in
parts)
	first=1 KIND=columns
	job=$(sbatch --parsable --array=1-"$count" "$SCRIPTS/look.sbatch")
	tree
	LIKE=$GRAMS/$LEVEL-1.columns KIND=rows
	job=$(sbatch --parsable --array=1-"$count" --dependency=afterok:"$job" "$SCRIPTS/look.sbatch")
	tree
	LOOK=$GRAMS/$LEVEL-1.rows
	job=$(sbatch --parsable --dependency=afterok:"$job" "$SCRIPTS/plan.sbatch")
	;;
first)
	first=2
	job=$(sbatch --parsable --array=1 "$SCRIPTS/gram.sbatch")
	;;
*) echo "PLAN=$PLAN: must be parts or first" >&2; exit 2 ;;
esac
if [ "$count" -ge $first ]; then
	job=$job:$(sbatch --parsable --array=$first-"$count" --dependency=afterok:"$job" "$SCRIPTS/gram.sbatch")
fi
KIND=gram
tree
sbatch --parsable --dependency=afterok:"$job" "$SCRIPTS/solve.sbatch"
