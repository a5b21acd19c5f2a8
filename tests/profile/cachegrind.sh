#!/bin/sh
# cachegrind.sh P5SCOPE QUICKSORT ROUNDS: cg_annotate reads the file without a complaint, with the totals of stat -j, and names the function.
p5scope=$1
shift
. "$(dirname "$0")/common.sh"
needs cg_annotate
needs jq
stat_values "$scratch/expected" -q "$@"
"$p5scope" record -q --cachegrind "$scratch/cachegrind.out" "$@" >/dev/null
value() { awk -v name="$1" '$1 == name { print $2 }' "$scratch/expected"; }
for event in clocks instructions_executed data_read_miss pipeline_agi_stalls; do
    cg_annotate --show=$event "$scratch/cachegrind.out" >"$scratch/text" 2>"$scratch/complaints"
    [ -s "$scratch/complaints" ] && { cat "$scratch/complaints"; fail "cg_annotate complains"; }
    got=$(awk '/PROGRAM TOTALS/ { gsub(",", "", $1); print $1 }' "$scratch/text")
    [ "$got" = "$(value $event)" ] || fail "$event: stat has $(value $event), cg_annotate $got"
done
grep -q 'quicksort\.c:sort$' "$scratch/text" || fail "no quicksort.c:sort"
