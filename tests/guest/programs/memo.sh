#!/bin/sh
# memo.sh STATUS P5SCOPE ARGUMENT...: `p5scope run --check-memo ARGUMENT...` ends with the guest's STATUS, with one thread and with two, and every stretch
# costs the same with the memo and on the exact path.
set -u
status=$1 p5scope=$2
shift 2
for threads in 1 2; do
    said=$("$p5scope" run --check-memo -q --threads $threads "$@" 2>&1 >/dev/null </dev/null)
    came=$?
    if [ "$came" != "$status" ] || ! printf '%s\n' "$said" | grep -q '^p5scope: [1-9][0-9]* stretches, each the same with the memo'; then
        printf 'FAIL: run --check-memo --threads %s %s\nexpected: status %s and no difference\ncame: status %s and\n%s\n' $threads "$*" "$status" "$came" "$said"
        exit 1
    fi
done
