#!/bin/sh
# callgrind.sh P5SCOPE QUICKSORT ROUNDS: callgrind_annotate reads the file without a complaint; its program totals are those of stat -j; calls
# and inclusive costs are there.
p5scope=$1
shift
. "$(dirname "$0")/common.sh"
needs callgrind_annotate
needs jq
stat_values "$scratch/expected" -q "$@"
"$p5scope" record -q --callgrind "$scratch/callgrind.out" --events all "$@" >/dev/null
[ ! -e p5scope.data ] || fail "--callgrind alone wrote a p5scope.data"
totals_agree callgrind_annotate "$scratch/callgrind.out" clocks instructions_executed data_read_miss bus_cycle_duration
callgrind_annotate --inclusive=yes --tree=calling --show=clocks "$scratch/callgrind.out" >"$scratch/text" 2>&1
grep -Eq '\(100\.0%\) +\* .*:_start ' "$scratch/text" || fail "_start has not all clocks"
grep -Eq '> .*quicksort\.c:sort \(2x\)' "$scratch/text" || fail "main does not call sort twice"
grep -Eq '^ +0 +> .*quicksort\.c:sort \([0-9,]+x\)' "$scratch/text" || fail "sort does not call itself"
# Jumps, TAKEN/EXECUTED: taken no more often than executed, and sort's data-dependent ones both ways.
awk -F'[= /]' '/^jcnd=/ { if ($2 > $3) { print; exit 1 } if ($2 > 1000 && $3 - $2 > 1000) both++ } END { if (both < 2) exit 1 }' \
    "$scratch/callgrind.out" || fail "conditional jumps"
# Valgrind counts the same (it does not write what was never taken, and splits functions by recursion).
if command -v valgrind >/dev/null && valgrind -q --tool=none "$@" >/dev/null 2>&1; then
    valgrind -q --tool=callgrind --dump-instr=yes --collect-jumps=yes --compress-pos=no --callgrind-out-file="$scratch/valgrind.out" "$@" >/dev/null
    for file in callgrind.out valgrind.out; do
        awk '/^jcnd=/ { split(substr($1, 6), n, "/"); target = $2; place = 1; next }
            place { taken[$1 " " target] += n[1]; place = 0 }
            END { for (jump in taken) if (taken[jump] > 0) print jump, taken[jump] }' "$scratch/$file" | sort >"$scratch/$file.jumps"
    done
    [ -s "$scratch/valgrind.out.jumps" ] && diff "$scratch/valgrind.out.jumps" "$scratch/callgrind.out.jumps" || fail "< Valgrind's jumps, > p5scope's"
fi
# --events chooses the columns, at recording and later; their totals are those of the whole file. stall_agi:uk is stall_agi.
"$p5scope" record -q -o "$scratch/p" --callgrind "$scratch/few" --events data_read_miss,stall_agi,stall_agi:uk,branches:u "$@" >/dev/null
"$p5scope" report "$scratch/p" --callgrind "$scratch/later" -e data_read_miss,stall_agi,branches:u
for file in few later; do
    grep -qx 'events: clocks instructions_executed data_read_miss stall_agi branches_u' "$scratch/$file" || fail "--events: $(grep ^events "$scratch/$file")"
done
sed '/^cmd:/d;/^desc:/d' "$scratch/few" >"$scratch/few1" && sed '/^cmd:/d;/^desc:/d' "$scratch/later" | cmp -s - "$scratch/few1" || fail "record --events and report -e write different files"
misses=$(awk '$1 == "data_read_miss" { print $2 }' "$scratch/expected")
[ "$(awk '/^totals:/ { print $4 }' "$scratch/few")" = "$misses" ] || fail "totals with --events: $(grep ^totals "$scratch/few"), data_read_miss is $misses"
callgrind_annotate "$scratch/few" 2>&1 | grep 'PROGRAM TOTALS' | grep -q "$(printf %d "$misses" | sed ':a;s/\B[0-9]\{3\}\>/,&/;ta')" || fail "callgrind_annotate does not read --events"
