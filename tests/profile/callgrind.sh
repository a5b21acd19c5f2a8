#!/bin/sh
# callgrind.sh P5SCOPE QUICKSORT ROUNDS: callgrind_annotate reads the file without a complaint; its program totals are those of stat -j; calls
# and inclusive costs are there.
p5scope=$1
shift
. "$(dirname "$0")/common.sh"
needs callgrind_annotate
needs jq
stat_values "$scratch/expected" -q "$@"
"$p5scope" record -q --callgrind "$scratch/callgrind.out" "$@" >/dev/null
[ ! -e p5scope.data ] || fail "--callgrind alone wrote a p5scope.data"
totals_agree callgrind_annotate "$scratch/callgrind.out" clocks instructions_executed data_read_miss bus_cycle_duration
callgrind_annotate --inclusive=yes --tree=calling --show=clocks "$scratch/callgrind.out" >"$scratch/text" 2>&1
grep -Eq '\(100\.0%\) +\* .*:_start ' "$scratch/text" || fail "_start has not all clocks"
grep -Eq '> .*quicksort\.c:sort \(2x\)' "$scratch/text" || fail "main does not call sort twice"
grep -Eq '^ +0 +> .*quicksort\.c:sort \([0-9,]+x\)' "$scratch/text" || fail "sort does not call itself"
# Jumps: taken no more often than executed, and sort's data-dependent ones both ways.
awk -F'[= /]' '/^jcnd=/ { if ($3 > $2) { print; exit 1 } if ($3 > 1000 && $2 - $3 > 1000) both++ } END { if (both < 2) exit 1 }' \
    "$scratch/callgrind.out" || fail "conditional jumps"
