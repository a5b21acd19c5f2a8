#!/bin/sh
# phases.sh P5SCOPE GUEST: the guest's markers are in the profile at the clocks that `trace --markers` shows, and the page has them over time:
# a line for each, a bar for each phase where it lies.
p5scope=$1
guest=$2
. "$(dirname "$0")/common.sh"
"$p5scope" record -q -o "$scratch/p" "$guest" >/dev/null || fail "record"
"$p5scope" trace -q -o "$scratch/t.csv" -e clocks --markers "$guest" >/dev/null || fail "trace"
awk -F, '$2 == "begin" || $2 == "end" { print $4, $2, $8 }' "$scratch/t.csv" >"$scratch/expected"
[ "$(wc -l <"$scratch/expected")" = 20 ] || fail "trace shows $(wc -l <"$scratch/expected") markers"
sed -n 's/^marker //p' "$scratch/p" | diff "$scratch/expected" - || fail "< trace --markers, > the profile"
"$p5scope" report "$scratch/p" -o "$scratch/page.html" || fail "no page"
needs chromium
browse "$scratch/page.html" --dump-dom >"$scratch/dom"
[ "$(grep -o '<line class="marker"' "$scratch/dom" | wc -l)" = 20 ] || fail "not 20 lines"
# The intervals reach to the end of the run, and their last totals are the run's.
"$p5scope" stat -q -j -e clocks,instructions_executed -o "$scratch/s" "$guest" >/dev/null || fail "stat"
ends=$(jq -r 'select(.event == "clocks") | .value' "$scratch/s")
last=$(sed -n 's/^interval \([0-9]*\) .*/\1/p' "$scratch/p" | tail -1)
[ "$last" = "$ends" ] || fail "the last interval ends at clock $last, the run at $ends"
# Each phase from its begin to the next end of its number, in per cent of the last interval's clock.
awk -v last="$last" '$2 == "begin" { from[$3] = $1 } $2 == "end" && from[$3] { printf "%.3f%% %.3f%% %d\n", 100 * from[$3] / last, 100 * ($1 - from[$3]) / last, $3 }' \
    "$scratch/expected" | sort >"$scratch/phases"
grep -o '<span style="left:[0-9.%]*;width:[0-9.%]*" title="phase [0-9]*' "$scratch/dom" |
    sed 's/.*left:\([0-9.%]*\);width:\([0-9.%]*\)" title="phase \([0-9]*\)/\1 \2 \3/' | sort | diff "$scratch/phases" - || fail "< the markers, > the page's phases"
[ "$(wc -l <"$scratch/phases")" = 10 ] || fail "not 10 phases"
# Nothing of it changes a count.
for event in clocks instructions_executed; do
    want=$(sed -n "s/.*\"event\":\"$event\".*\"value\":\([0-9]*\).*/\1/p; s/.*\"value\":\([0-9]*\).*\"event\":\"$event\".*/\1/p" "$scratch/s" | head -1)
    got=$("$p5scope" report "$scratch/p" -s mode --json -e $event | sed -n "s/.*\"$event\":\([0-9]*\),.*/\1/p" | awk '{ s += $1 } END { print s }')
    [ -n "$want" ] && [ "$want" = "$got" ] || fail "$event: stat $want, the profile $got"
done
