#!/bin/bash
# formats.sh PROGRAM GUESTS KANATA_CHECK PM_PINS: each format of `trace`, read by the reader of its own kind; the totals of the last row are those of
# `stat`.
set -u
program=$1 guests=$2 kanata=$3 pm_pins=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
fail() { echo "FAIL: $*" >&2; exit 1; }
for tool in jq sqlite3 vcd2fst zstd; do command -v "$tool" >/dev/null || { echo "no $tool: skipped"; exit 77; }; done

compare() { # WHAT: the names and values in file got are those of `stat`
    sort got >got.sorted
    diff -u expected got.sorted >difference || { head -20 difference; fail "$1: totals differ from stat's"; }
}

while read -r name model interval arguments; do
    guest="$guests/$name"
    # shellcheck disable=SC2086
    set -- --model "$model" --max-instructions 300000 -I "$interval" "$guest" $arguments
    "$program" stat -j -o stat.json --model "$model" --max-instructions 300000 "$guest" $arguments >/dev/null 2>&1 || fail "stat $name"
    # of the owners of clocks stat leaves out those that own none
    jq -r 'select(.event and has("value")) | "\(.event) \(.value)"' stat.json | grep -v ' 0$' | sort >expected
    [ "$(wc -l <expected)" -gt 15 ] || fail "$name: stat counts next to nothing"

    "$program" trace -o t.csv "$@" >/dev/null 2>&1 || fail "csv"
    awk -F, '/^#/ { next } !n { n = split($0, names, ","); next } NF != n { print "a row with " NF " fields"; exit 1 }
        { for (i = 13; i <= NF; i++) last[names[i]] = $i; kind = $2 }
        END { for (i in last) if (last[i] != 0) print i, last[i]; exit kind != "stop" }' t.csv >got || fail "csv of $name is not well formed"
    compare csv

    "$program" trace -o t.csv --deltas "$@" >/dev/null 2>&1 || fail "csv --deltas"
    awk -F, '/^#/ { next } !n { n = split($0, names, ","); next } { for (i = 13; i <= NF; i++) sum[names[i]] += $i }
        END { for (i in sum) if (sum[i] != 0) print i, sum[i] }' OFMT=%d CONVFMT=%d t.csv >got
    compare "sum of deltas"

    "$program" trace -o t.jsonl.zst "$@" >/dev/null 2>&1 || fail "jsonl.zst"
    zstd -tq t.jsonl.zst || fail "zstd -t"
    zstd -dcq t.jsonl.zst | jq -r 'select(.kind == "stop") | .totals | to_entries[] | select(.value != 0) | "\(.key) \(.value)"' >got
    compare jsonl
    zstd -dcq t.jsonl.zst | jq -es '.[-1].summary.rows == length - 2 and .[0].p5scope != null' >/dev/null 2>&1 || fail "jsonl: rows"

    "$program" trace -o t.db "$@" >/dev/null 2>&1 || fail "sqlite"
    [ "$(sqlite3 t.db 'PRAGMA integrity_check; PRAGMA foreign_key_check')" = ok ] || fail "sqlite: integrity"
    sqlite3 -separator ' ' t.db 'SELECT event, value FROM total WHERE value <> 0' >got
    compare sqlite
    sqlite3 -separator ' ' t.db 'SELECT event, sum(delta) FROM delta GROUP BY event HAVING sum(delta) <> 0' >got
    compare "view delta"
    [ "$(sqlite3 t.db "SELECT complete, clocks = (SELECT value FROM total WHERE event = 'clocks') FROM run")" = "1|1" ] || fail "sqlite: run"
    sqlite3 t.db "SELECT abs(sum(cpi * i) / sum(i) - c) < 1e-6 FROM (SELECT m.cpi, (SELECT delta FROM delta d WHERE d.run = m.run AND d.number = m.number
        AND event = 'instructions_executed') AS i, (SELECT 1.0 * r.clocks / value FROM total t JOIN run r ON r.id = t.run WHERE event = 'instructions_executed') AS c
        FROM metric m WHERE m.cpi IS NOT NULL)" | grep -qx 1 || fail "view metric: CPI"

    "$program" trace -o t.json "$@" >/dev/null 2>&1 || fail "chrome"
    jq -e 'length > 5 and all(.[]; has("name") and has("ph") and has("ts") and has("pid"))' t.json >/dev/null 2>&1 || fail "chrome: events"
    jq -r '.[] | select(.name == "stop") | .args | to_entries[] | select(.value != 0 and (.value | type) == "number" and .key != "instructions" and .key != "ctr0"
        and .key != "ctr1") | "\(.key) \(.value)"' t.json >got
    compare chrome
    # a counter is a rate from its clock to that of the next
    jq -r '[.[] | select(.ph == "C" and .name == "events per 1000 clocks")] as $c | (.[] | select(.name == "stop") | .ts) as $stop
        | [range($c | length) | $c[.].args.instructions_executed * ((if . + 1 < ($c | length) then $c[. + 1].ts else $stop end) - $c[.].ts) / 1000] | add' t.json >sum
    [ -s sum ] || fail "chrome: no counters"
    awk -v want="$(awk '$1 == "instructions_executed" { print $2 }' expected)" '{ d = $1 / want - 1; exit !(d < 1e-4 && d > -1e-4) }' sum ||
        fail "chrome: rates do not add up: $(cat sum)"

    "$program" trace -o t.vcd "$@" >/dev/null 2>&1 || fail "vcd"
    vcd2fst t.vcd t.fst >/dev/null 2>messages && [ -s t.fst ] && [ ! -s messages ] || { cat messages; fail "vcd2fst"; }
    awk '$1 == "$var" && $3 == 64 { name[$4] = $5 } /^#/ { if (substr($0, 2) + 0 < time) { print "time goes back"; exit 1 } time = substr($0, 2) + 0 }
        /^b[01]/ && $2 in name { v = 0; for (i = 2; i <= length($1); i++) v = 2 * v + substr($1, i, 1); last[name[$2]] = v }
        END { for (i in last) if (last[i] != 0) print i, last[i] }' CONVFMT=%.0f OFMT=%.0f t.vcd >got || fail "vcd: time"
    compare vcd
    echo "$name on $model: csv jsonl sqlite chrome vcd agree with stat"
done <<'LIST'
quicksort p55c-200 100000c 2
mmx p55c-200 7777i 50
walk1m p54c-133 50000c 1
x87 p54c-100 10000i 20
LIST

# The window of a pipeline: as many instructions as counted, clocks of EX within it, x87 and MMX stages, arrows, stalls.
for line in "x87 20" "mmx 30" "walk1m 1"; do
    # shellcheck disable=SC2086
    "$program" trace -o k.kanata.zst --from 15000c --to 25000c --model p55c-200 "$guests/"$line >/dev/null 2>&1 || fail "kanata of $line"
    zstd -dq -f k.kanata.zst || fail "zstd -d"
    "$kanata" k.kanata >counted || fail "kanata of $line: against the grammar"
    # shellcheck disable=SC2086
    "$program" trace -o w.jsonl --from 15000c --to 25000c -e instructions_executed --model p55c-200 "$guests/"$line >/dev/null 2>&1 || fail "window of $line"
    want=$(jq -s 'map(select(.kind == "start" or .kind == "stop").totals.instructions_executed) | .[1] - .[0]' w.jsonl)
    got=$(cut -d' ' -f1 counted)
    [ "$got" = "$want" ] || fail "kanata of $line: $got instructions, counted were $want"
    echo "$line: $(cat counted)"
    [ "$(cut -d' ' -f5 counted)" -gt 100 ] || fail "kanata of $line: no arrows"
    [ "$(cut -d' ' -f7 counted)" -gt 100 ] || fail "kanata of $line: no stalls"
    case $line in
    x87*) grep -q '	WF$' k.kanata && grep -q '	ER$' k.kanata && grep -q '	X2$' k.kanata || fail "no x87 stages" ;;
    mmx*) grep -q '	M2$' k.kanata && grep -q '	M3$' k.kanata && grep -q '	Mw$' k.kanata || fail "no MMX stages" ;;
    esac
    grep -q '	F$' k.kanata && grep -q '	PF$' k.kanata || fail "no PF and F"
done

# The bus is busy as long as event 18h says.
"$program" trace -o p.vcd -e bus_cycle_duration --from sort --to 150000c "$guests/quicksort" 1 >/dev/null 2>&1 || fail "bus"
awk '$1 == "$var" { id[$5] = $4 }
    /^#/ { now = substr($0, 2) + 0 }
    $0 == "1" id["busy"] { from = now } $0 == "0" id["busy"] && from { busy += now - from; from = 0 }
    /^b[01]/ && $2 == id["bus_cycle_duration"] { v = 0; for (i = 2; i <= length($1); i++) v = 2 * v + substr($1, i, 1); if (now && !seen++) v1 = v; event = v - v1 }
    END {
        printf "busy %d clocks, event %d\n", busy, event
        exit !(event > 100 && busy >= event * 0.98 && busy <= event * 1.02)
    }' p.vcd || fail "the bus is not busy as long as is counted"

# The bus clock is there if asked for: up at the first core clock at or after half core clock n * RATIO2, down in the middle, every edge of it.
while read -r model ratio2; do
    "$program" trace -o p.vcd -e clocks -I 5000c --model "$model" --max-clocks 20000 "$guests/walk1m" 1 >/dev/null 2>&1
    ! grep -q ' CLK ' p.vcd || fail "CLK is there unasked"
    "$program" trace -o c.vcd --bus-clock -e clocks -I 5000c --model "$model" --max-clocks 20000 "$guests/walk1m" 1 >/dev/null 2>&1
    awk -v ratio2="$ratio2" '$1 == "$var" { id[$5] = $4 }
        /^#/ { now = substr($0, 2) + 0 }
        $0 == "1" id["CLK"] || ($0 == "0" id["CLK"] && now) {
            want = int((n * ratio2 + 3) / 4)
            if (now != want || substr($0, 1, 1) != (n + 1) % 2) { print "edge " n " at " now " is " $0 ", expected at " want; exit 1 }
            n++
        }
        END { printf "CLK: %d edges\n", n; exit !(n > 10000 && now >= 20000) }' c.vcd || fail "the bus clock of $model"
    id=$(awk '$1 == "$var" && $5 == "CLK" { print $4 }' c.vcd)
    # shellcheck disable=SC2016
    merge='/^\$(version|comment|var)/ { next } /^#/ { time = $0; next } $0 != "0" clk && $0 != "1" clk && $0 != "x" clk { print time, $0 }'
    cmp <(awk -v clk="$id" "$merge" c.vcd) <(awk -v clk="$id" "$merge" p.vcd) || fail "CLK changes what else is there"
done <<'LIST'
p55c-200 6
p54c-100 3
p55c-166 5
LIST

# Pins: their edges follow from the counter's values by the manual's rule (26.4.4.3, 26.4.5): what is on in core clock c shows DELAY clocks later, in
# the whole bus clock after that one; bus clock n begins at core clock n * ratio, rounded up. RATIO2 is twice the ratio of core to bus clock.
# END is the last clock of the run: what shows after it would depend on clocks that the counter has not seen.
cat >pins.awk <<'AWK'
function value(digits,  v, i) { v = 0; for (i = 2; i <= length(digits); i++) v = 2 * v + substr(digits, i, 1); return v }
function bus_of(clock) { return int(clock * 2 / ratio2) }
function core_of(bus) { return int((bus * ratio2 + 1) / 2) }
function edge(clock, sign) { return clock <= end ? clock sign " " : "" }
function close_pulse() { if (down) expected = expected edge(core_of(up), "+") edge(core_of(down), "-"); pulses += down > 0 }
function on(from, to, delay,  u, d) { # core clocks [from, to)
    u = bus_of(from + delay) + 1; d = bus_of(to - 1 + delay) + 2
    if (down && u <= down) { if (d > down) down = d; return }
    close_pulse(); up = u; down = d
}
$1 == "$var" { id[$5] = $4 }
/^#/ { now = substr($0, 2) + 0 }
/^b[01]/ && $2 == id["CESR"] { overflow = int(value($1) / 512) % 2; if (now) known = 0 }
/^b[01]/ && $2 == id["CTR0"] {
    v = value($1)
    if (known && overflow && v < counter) on(now - 1, now, 5)
    if (known && !overflow && v > counter && what != "overflow") on(now - (v - counter), now, 3)
    counter = v; known = 1
}
$0 == "1" id["PM0"] && now { got = got edge(now, "+") }
$0 == "0" id["PM0"] && now { got = got edge(now, "-") }
END {
    close_pulse()
    printf "PM0 shows %s: %d pulses\n", what, pulses
    if (expected != got) print "FAIL: expected " substr(expected, 1, 200) "\n      came     " substr(got, 1, 200)
    exit !(expected == got && pulses >= least)
}
AWK
while read -r model ratio2 least events guest; do
    # shellcheck disable=SC2086
    "$program" trace -o p.vcd --ctr0 "$events" --max-clocks 40000 --model "$model" "$guests/"$guest >/dev/null 2>&1
    awk -v ratio2="$ratio2" -v what="$events" -v least="$least" -v end=40000 -f pins.awk p.vcd || fail "pins: $events on $model"
done <<'LIST'
p55c-200 6 1000 data_read:uc mmx 30
p55c-166 5 1000 data_read:uc x87 20
p54c-100 3 1000 instructions_executed_v_pipe:uc quicksort 1
p54c-133 4 5 data_read_miss:c walk1m 1
LIST
# testprogs/checks/pm_pins.asm counts to overflows (and writes the counter in between).
[ -f "$pm_pins" ] || { echo "no $pm_pins (nasm is missing): skipped"; exit 77; }
"$program" trace -o p.vcd --model p55c-166 --max-clocks 60000 --flat 0x8000 "$pm_pins" >/dev/null 2>&1
awk -v ratio2=5 -v what=overflow -v least=1 -v end=60000 -f pins.awk p.vcd || fail "pins: overflow"
