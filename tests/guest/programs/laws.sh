#!/bin/sh
# laws.sh STATUS P5SCOPE ARGUMENT...: `p5scope stat --check-laws ARGUMENT...` ends with the guest's STATUS, and every law holds.
set -u
status=$1 p5scope=$2
shift 2
report=$("$p5scope" stat --check-laws -n -q "$@" 2>&1 </dev/null)
came=$?
if [ "$came" != "$status" ] || ! printf '%s\n' "$report" | grep -q '^p5scope: [1-9][0-9]* laws checked, 0 broken$'; then
    printf 'FAIL: stat --check-laws %s\nexpected: status %s and no law broken\ncame: status %s and\n%s\n' "$*" "$status" "$came" "$report"
    exit 1
fi
