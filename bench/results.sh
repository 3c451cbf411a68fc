#!/bin/sh
# The results table of the README, as Markdown: rff compare on real data sets,
# with the bandwidth and λ by cross-validation. RFF_DATA says where the sets are.
set -eu
cd "$(dirname "$0")/.."
methods=rff,orf,sobol,leverage,surrogate,eerf
mkdir -p out
[ -n "${RFF_DATA:-}" ] || { echo "$0: RFF_DATA is not set" >&2; exit 1; }
echo "| data | rows | features | $(echo $methods | sed 's/,/ | /g') |"
echo "|---|---|---|$(echo $methods | sed 's/[^,]*/---|/g; s/,//g')"
for set in letter eeg magic04 adult covtype cod-rna cpuact; do
	./bin/rff compare --data $set --methods $methods --features 64,256,1024 --reps 5 --sigma cv --rows 20000 \
		--csv out/$set.csv --html out/$set.html >out/$set.txt
	rows=$(sed -n '1s/.*: \([0-9,]*\) training.*/\1/p' out/$set.txt)
	awk -F, -v set=$set -v rows="$rows" -v methods=$methods 'NR > 1 {
		mean[$2, $3] = sprintf("%.1f ± %.1f", $6, $7); seen[$3] = 1; value[$2, $3] = $6; regression = $5 ~ /error/
	} END {
		n = split(methods, m, ",")
		for (f = 64; f <= 1024; f *= 4) {
			best = ""
			for (i = 1; i <= n; i++) if (best == "" || (regression ? value[m[i], f] < value[best, f] : value[m[i], f] > value[best, f])) best = m[i]
			line = "| " (f == 64 ? set (regression ? " (error %)" : "") : "") " | " (f == 64 ? rows : "") " | " f " |"
			for (i = 1; i <= n; i++) line = line " " (m[i] == best ? "**" mean[m[i], f] "**" : mean[m[i], f]) " |"
			print line
		}
	}' out/$set.csv
done
