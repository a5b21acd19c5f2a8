#!/bin/bash
# maps.sh P5SCOPE GUESTS: `trace` shows the registers of whichever monitor there is, in every format, and what its counters counted is what `stat` counts.
set -u
program=$1 guest=$2/quicksort
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
fail() { echo "FAIL: $*" >&2; exit 1; }
for tool in jq sqlite3; do command -v "$tool" >/dev/null || { echo "no $tool: skipped"; exit 77; }; done
"$program" stat -q -j -e data_read:u,instructions_executed_v_pipe:u -o stat.json "$guest" 1 >/dev/null || fail "stat"
want=$(jq -r 'select(.event) | .value' stat.json | paste -sd' ')
[ "${#want}" -gt 10 ] || fail "stat counts '$want'"
is() { [ "$2" = "$want" ] || fail "$1: expected $want, got $2"; }
while read -r map first second select value; do
    set -- --monitor "$map" --ctr0 data_read:u --ctr1 r17:u -I 300000c -e clocks "$guest" 1
    "$program" trace -q -o t.csv "$@" >/dev/null || fail "csv of $map"
    is "csv of $map" "$(awk -F, -v a="$first" -v b="$second" '/^row/ { for (i = 1; i <= NF; i++) at[$i] = i } $2 == "stop" { print $at[a], $at[b] }' t.csv)"
    [ "$(awk -F, -v a="$select" '/^row/ { for (i = 1; i <= NF; i++) at[$i] = i } $2 == "start" { print $at[a] }' t.csv)" = "$value" ] || fail "csv of $map: $select"
    "$program" trace -q -o t.jsonl "$@" >/dev/null || fail "jsonl of $map"
    is "jsonl of $map" "$(jq -r --arg a "$first" --arg b "$second" 'select(.kind == "stop") | (.registers // .) | "\(.[$a]) \(.[$b])"' t.jsonl)"
    "$program" trace -q -o t.json "$@" >/dev/null || fail "chrome of $map"
    is "chrome of $map" "$(jq -r --arg a "$first" --arg b "$second" '.[] | select(.name == "stop") | .args | "\(.[$a]) \(.[$b])"' t.json)"
    "$program" trace -q -o t.vcd "$@" >/dev/null || fail "vcd of $map"
    is "vcd of $map" "$(awk -v a="$first" -v b="$second" '$1 == "$var" { name[$4] = tolower($5) } /^b[01]/ { v = 0; for (i = 2; i <= length($1); i++) v = 2 * v + substr($1, i, 1); last[name[$2]] = v }
        END { print last[a], last[b] }' t.vcd)"
    "$program" trace -q -o t.db "$@" >/dev/null || fail "database of $map"
    rm -f merged.db
    "$program" merge -q -o merged.db t.jsonl || fail "merge of lines of $map"
    rm -f again.db
    "$program" merge -q -o again.db t.db || fail "merge of the database of $map"
    for db in t.db merged.db again.db; do
        is "$db of $map" "$(sqlite3 -separator ' ' $db "SELECT coalesce(ctr0, registers ->> '$first'), coalesce(ctr1, registers ->> '$second') FROM interval WHERE kind = 'stop'")"
        [ "$(sqlite3 $db "SELECT count(*) FROM interval WHERE (cesr IS NULL) = (registers IS NULL)")" = 0 ] || fail "$db of $map: registers of one monitor only"
    done
    echo "$map: $want in every format"
done <<'LIST'
p5 ctr0 ctr1 cesr 0x00970080
p6 pmc0 pmc1 perfevtsel1 0x00090017
arch3 pmc0 pmc1 perfevtsel1 0x00490017
LIST
# The monitor's instructions are rows by the names of their registers.
"$program" trace -q -o t.csv --pmu -e clocks --monitor arch3 "$guest" 1 >/dev/null || fail "--pmu"
