#!/usr/bin/env bash
# Runs snippets on this machine's processor and under p5scope, in pieces, and compares what they wrote. What differs is run once more by
# itself: memory that snippets before it have written may differ where processors may, too.
#   run.sh P5SCOPE SNIPPETS COMPARE FIRST COUNT [STATES]
# P5SCOPE_DIFFERENTIAL=N runs N snippets instead of COUNT, each from STATES states.
set -euo pipefail
p5scope=$1 snippets=$2 compare=$3 first=$4 count=${P5SCOPE_DIFFERENTIAL:-$5} states=${6:-1}
[ "$(uname -m)" = x86_64 ] && "$snippets" >/dev/null 2>&1 || { echo "this machine does not run i386 programs: skipped"; exit 77; }
vendor=$(sed -n 's/^vendor_id[^:]*: //p' /proc/cpuinfo | head -1)
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
both() { # first, count
    "$snippets" "$1" "$2" "$states" >"$here/expected"
    "$p5scope" run -q "$snippets" "$1" "$2" "$states" >"$here/got" || { echo "p5scope ended with status $? within $2 snippets from $1"; return 1; }
    "$compare" "$vendor" "$here/expected" "$here/got" 1000
}
piece=$((20000 / states)) status=0
for ((at = first; at < first + count; at += piece)); do
    n=$((first + count - at < piece ? first + count - at : piece))
    if both "$at" "$n" >"$here/said"; then
        cat "$here/said"
        continue
    fi
    again=$(sed -n 's/^snippet \([0-9]*\),.*/\1/p' "$here/said" | sort -un)
    [ -n "$again" ] || { cat "$here/said"; status=1; continue; }
    tail -1 "$here/said"
    for snippet in $again; do
        both "$snippet" 1 >"$here/alone" || { cat "$here/alone"; status=1; }
    done
done
exit $status
