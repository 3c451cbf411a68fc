#!/bin/sh
# The results table of the README, as Markdown: rff compare on real data sets,
# with the bandwidth and λ by cross-validation. RFF_DATA says where the sets are.
# Bold: better than the first method by more than two standard errors of the
# difference of the two means.
set -eu
cd "$(dirname "$0")/.."
reps=5
methods=rff,orf,sobol,leverage,surrogate,eerf
mkdir -p out
[ -n "${RFF_DATA:-}" ] || { echo "$0: RFF_DATA is not set" >&2; exit 1; }
echo "| data | rows | features | $(echo $methods | sed 's/,/ | /g') |"
echo "|---|---|---|$(echo $methods | sed 's/[^,]*/---|/g; s/,//g')"
for set in letter eeg magic04 adult covtype cod-rna cpuact; do
	./bin/rff compare --data $set --methods $methods --features 64,256,1024 --reps $reps --sigma cv --rows 20000 \
		--csv out/$set.csv --html out/$set.html >out/$set.txt
	rows=$(sed -n '1s/.*: \([0-9,]*\) training.*/\1/p' out/$set.txt)
	awk -F, -v set=$set -v rows="$rows" -v methods=$methods -v reps=$reps 'NR > 1 {
		mean[$2, $3] = sprintf("%.1f ± %.1f", $6, $7); value[$2, $3] = $6; sd[$2, $3] = $7; regression = $5 ~ /error/
	} END {
		n = split(methods, m, ",")
		for (f = 64; f <= 1024; f *= 4) {
			line = "| " (f == 64 ? set (regression ? " (error %)" : "") : "") " | " (f == 64 ? rows : "") " | " f " |"
			for (i = 1; i <= n; i++) {
				gain = (value[m[i], f] - value[m[1], f]) * (regression ? -1 : 1)
				better = gain > 2 * sqrt((sd[m[i], f] ^ 2 + sd[m[1], f] ^ 2) / reps)
				line = line " " (better ? "**" mean[m[i], f] "**" : mean[m[i], f]) " |"
			}
			print line
		}
	}' out/$set.csv
done
