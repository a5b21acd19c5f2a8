#!/usr/bin/env bash
# overhead.sh BUILD [PAIRS]: user time of `trace -I 100000c` and `stat -I 100000c` over that of `stat` on the kernels of testprogs/bench, in
# turn, PAIRS times (default 5); medians of the ratios, as a table for docs/performance.md.
set -euo pipefail
build=$1 pairs=${2:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
TIMEFORMAT='%U'
seconds() { { time "$@" >/dev/null 2>&1; } 2>&1; }
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
echo '| program | csv | jsonl | sqlite | chrome | csv.zst | stat -I |'
echo '|---|--:|--:|--:|--:|--:|--:|'
for line in "alu 80" "walk16k 8000" "walk1m 100" "sieve 40" "quicksort 40" "x87 6000" "mmx 20000"; do
    read -r name rounds <<<"$line"
    guest="$build/testprogs/$name"
    row="| $name"
    for how in csv jsonl db json csv.zst stat; do
        for _ in $(seq "$pairs"); do
            plain=$(seconds "$build/p5scope" stat -o plain "$guest" "$rounds")
            if [ $how = stat ]; then
                traced=$(seconds "$build/p5scope" stat -I 100000c -o t.stat "$guest" "$rounds")
            else
                traced=$(seconds "$build/p5scope" trace -I 100000c -o t.$how "$guest" "$rounds")
            fi
            awk -v a="$plain" -v b="$traced" 'BEGIN { printf "%.1f\n", 100 * (b / a - 1) }'
        done >ratios
        row="$row | $(median <ratios) %"
    done
    echo "$row |"
done
