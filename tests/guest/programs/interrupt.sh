#!/bin/bash
# interrupt.sh P5SCOPE GUEST ARGUMENT...: a run that is interrupted reports what it has counted and ends with 128 + the signal, also if the signal
# comes twice at once, as timeout(1) sends it (to the process, and to its group).
set -u
p5scope=$1
shift
work=$(mktemp -d)
pid=
trap 'rm -rf "$work"; [ -z "$pid" ] || kill -9 $pid 2>/dev/null' EXIT
fail() { echo "FAIL: $*" >&2; exit 1; }

start() { # GUEST ARGUMENT...: until it has run for a while
    : >"$work/report"
    "$p5scope" stat -q -I 100000c --summary -o "$work/report" "$@" >/dev/null 2>"$work/messages" &
    pid=$!
    while [ "$(stat -c %s "$work/report")" -le 1000 ]; do
        kill -0 $pid 2>/dev/null || { cat "$work/messages"; fail "the run ended by itself"; }
        sleep 0.1
    done
}
for signal in INT TERM; do
    start "$@"
    kill -$signal $pid $pid # both at once, whatever else the machine does
    wait $pid
    status=$?
    pid=
    [ $status = $((128 + $(kill -l $signal))) ] || { cat "$work/messages"; fail "SIG$signal: status $status"; }
    grep -q "Interrupted at" "$work/report" || { tail -5 "$work/report"; fail "SIG$signal: the report does not say why it ended"; }
    grep -q "instructions_executed" "$work/report" || fail "SIG$signal: no totals"
    grep -q "seconds on the host" "$work/report" || fail "SIG$signal: the report is cut off"
done
