#!/bin/sh
# cachegrind.sh P5SCOPE QUICKSORT ROUNDS: cg_annotate reads the file without a complaint, with the totals of stat -j, and names the function.
p5scope=$1
shift
. "$(dirname "$0")/common.sh"
needs cg_annotate
needs jq
stat_values "$scratch/expected" -q "$@"
"$p5scope" record -q --cachegrind "$scratch/cachegrind.out" "$@" >/dev/null
totals_agree cg_annotate "$scratch/cachegrind.out" clocks instructions_executed data_read_miss pipeline_agi_stalls
# FILE:FUNCTION, or as of valgrind 3.21 FUNCTION:FILE
grep -Eq 'quicksort\.c:sort$| sort:[^ ]*quicksort\.c$' "$scratch/text" || fail "no quicksort.c:sort"
