#!/bin/sh
# samples.sh P5SCOPE GUEST [ARGUMENT...]: samples by overflow change no count; there is one for each period, but for what happens between
# overflow and interrupt; they fall after the instruction that causes the event (skid), and in its function.
p5scope=$1
shift
. "$(dirname "$0")/common.sh"
needs jq
event=pipeline_flushes_due_to_wrong_branch_predictions
stat_values "$scratch/expected" -q "$@"
"$p5scope" record -q -o "$scratch/p" --period $event/100 --cachegrind "$scratch/cachegrind" --events all "$@" >/dev/null
awk '/^events:/ { for (i = 2; i <= NF; i++) name[i] = $i } /^summary:/ { for (i = 2; i <= NF; i++) if (name[i] !~ /^stall_/ || name[i] ~ /^stall_on_/) print name[i], $i }' \
    "$scratch/cachegrind" | sort >"$scratch/got"
diff "$scratch/expected" "$scratch/got" || fail "< stat -j, > recorded with samples"
misses=$(awk -v event=$event '$1 == event { print $2 }' "$scratch/expected")
samples=$(grep -c '^sample ' "$scratch/p")
[ "$samples" -le $((misses / 100)) ] && [ "$samples" -ge $((misses / 100 * 9 / 10)) ] || fail "$samples samples of $misses misses"
hottest() { "$p5scope" report "$scratch/p" -t, "$@" | awk -F, '!/^#/ { print $4; exit }'; }
exact=$(hottest -s address -e $event) sampled=$(hottest -s address --samples)
[ -n "$sampled" ] && [ "$exact" != "$sampled" ] || fail "no skid: $exact, sampled $sampled"
[ "$(hottest -e $event)" = "$(hottest --samples)" ] || fail "another function"
# events that are computed when they are read, and clocks: as many samples as there are periods, but for what no boundary is in between
for event in clocks number_of_cycles_not_in_halt_state bus_cycle_duration bus_utilization_due_to_processor_activity; do
    total=$(awk -v event=$event '$1 == event { print $2 }' "$scratch/expected")
    "$p5scope" record -q -o "$scratch/p" --period $event/$((total / 50)) "$@" >/dev/null
    samples=$(grep -c '^sample ' "$scratch/p")
    [ "$samples" -le 50 ] && [ "$samples" -ge 45 ] || fail "$samples samples of $total $event, one every $((total / 50))"
done
"$p5scope" record -q -o "$scratch/q" "$@" >/dev/null
"$p5scope" report "$scratch/q" --samples >"$scratch/text" 2>&1 && fail "samples of a profile without any"
grep -q 'record --period' "$scratch/text" || fail "no hint how to get samples"
"$p5scope" report "$scratch/p" --samples -e data_read >/dev/null 2>"$scratch/text" && fail "--samples with other events than those sampled"
grep -q '^p5scope: -e cannot be combined with --samples' "$scratch/text" || fail "-e with --samples: $(cat "$scratch/text")"
