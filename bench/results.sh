#!/bin/sh
# The results table of the README, as Markdown: rff compare on real data sets,
# with the bandwidth and λ by cross-validation. RFF_DATA says where the sets are.
# Bold: better than the first sampler beyond noise, as rff compare marks it (paired
# over the repetitions, corrected for all comparisons on the set).
# RFF_RESULTS_SETS, _REPS and _ROWS make a small table, to see that this works.
set -eu
cd "$(dirname "$0")/.."
reps=${RFF_RESULTS_REPS:-5}
rows=${RFF_RESULTS_ROWS:-20000}
samplers=rff,orf,sobol,leverage,surrogate,eerf
mkdir -p out
[ -n "${RFF_DATA:-}" ] || { echo "$0: RFF_DATA is not set" >&2; exit 1; }
echo "| data | rows | features | $(echo $samplers | sed 's/,/ | /g') |"
echo "|---|---|---|$(echo $samplers | sed 's/[^,]*/---|/g; s/,//g')"
for set in ${RFF_RESULTS_SETS:-letter eeg magic04 adult covtype cod-rna cpuact}; do
	./bin/rff compare --data $set --samplers $samplers --features 64,256,1024 --reps $reps --sigma cv --rows $rows \
		--csv out/$set.csv --html out/$set.html >out/$set.txt
	used=$(sed -n '1s/.*: \([0-9,]*\) training.*/\1/p' out/$set.txt)
	awk -F, -v set=$set -v rows="$used" -v samplers=$samplers '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
	NR > 1 {
		regression = $at["score"] == "RMSE"
		text = sprintf(regression ? "%.2f ± %.2f" : "%.1f ± %.1f", $at["mean"], $at["sd"])
		cell[$at["sampler"], $at["features"]] = $at["versus_first"] == "better" ? "**" text "**" : text
	} END {
		n = split(samplers, m, ",")
		for (f = 64; f <= 1024; f *= 4) {
			line = "| " (f == 64 ? set (regression ? " (RMSE)" : "") : "") " | " (f == 64 ? rows : "") " | " f " |"
			for (i = 1; i <= n; i++)
				line = line " " cell[m[i], f] " |"
			print line
		}
	}' out/$set.csv
done
