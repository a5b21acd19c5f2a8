#!/bin/bash
# pieces.sh PROGRAM GUESTS SOURCE: one run priced piece by piece, by the scripts of docs/sweeps.md: what follows from the instructions is exactly
# that of the whole run, clocks and misses come near it.
set -u
program=$1 guests=$2 source=$3
for tool in jq sqlite3 parallel; do command -v "$tool" >/dev/null || { echo "no $tool: skipped"; exit 77; }; done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
fail() { echo "FAIL: $*" >&2; exit 1; }
mkdir bin && ln -s "$program" bin/p5scope && export PATH="$work/bin:$PATH" PARALLEL_HOME=$work/parallel
cp "$guests/quicksort" .
example() { awk -v name="$1" '$0 == "<!-- " name " -->" { on = 1; next } on && /^```/ { if (inside) exit; inside = 1; next } inside' "$source/docs/sweeps.md"; }
# A shorter run than that of the page: 10 million instructions in 6 pieces.
example pieces | sed 's/n=20000000 w=1000000/n=2000000 w=1000000/; s/quicksort 100/quicksort 8/' >job.sh
grep -q 'n=2000000 w=1000000' job.sh && grep -q 'quicksort 8' job.sh || fail "docs/sweeps.md has no example 'pieces'"
bash -eu job.sh >out 2>&1 || { cat out; fail "the example"; }
p5scope stat -q -j -o whole.json ./quicksort 8 >/dev/null
example pieces-sum >sum.sql
sqlite3 -separator ' ' pieces.db <sum.sql | sort >got
jq -r 'select(.event and has("value")) | "\(.event) \(.value)"' whole.json | sort >want
[ "$(sqlite3 pieces.db 'SELECT count(*) FROM run')" -ge 5 ] || fail "pieces: $(sqlite3 pieces.db 'SELECT count(*) FROM run')"
for event in instructions_executed branches taken_branches data_read data_write returns; do
    [ "$(grep "^$event " got)" = "$(grep "^$event " want)" ] || fail "pieces: $(grep "^$event " got), whole: $(grep "^$event " want)"
done
# Within 1 %: the warm-up is short, and the branch target buffer of this guest forgets slowly.
join got want | awk '$1 ~ /^(clocks|data_read_miss|data_write_miss|pipeline_flushes|instructions_executed_v_pipe|bus_cycle_duration)$/ {
    n++; off = ($2 - $3) / $3; if (off > 0.01 || off < -0.01) { print "FAIL: " $0; bad = 1 } } END { if (n != 6) print "FAIL: " n " events of 6"; exit bad || n != 6 }' || exit 1
# Only run takes it, and it needs a name.
p5scope stat --save-every 1000 --save x ./quicksort 1 2>/dev/null; [ $? = 129 ] || fail "stat takes --save-every"
p5scope run --save-every 1000 ./quicksort 1 2>/dev/null; [ $? = 129 ] || fail "--save-every without --save"
p5scope run --save-every 1000 --warm-up 1000 --save x ./quicksort 1 2>/dev/null; [ $? = 129 ] || fail "a warm-up as long as a piece"
# Executing alone does what the guest does: its output, its status.
cp "$guests/arguments" .
p5scope run -q ./arguments one two >want; expected=$?
p5scope run -q --save-every 1e9 --save x ./arguments one two >got; [ $? = $expected ] && cmp -s got want || fail "executing alone: other output or status"
