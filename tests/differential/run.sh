#!/usr/bin/env bash
# Runs snippets on this machine's processor and under p5scope, in pieces, and compares what they wrote.
#   run.sh P5SCOPE SNIPPETS COMPARE FIRST COUNT
# P5SCOPE_DIFFERENTIAL=N runs N snippets instead of COUNT.
set -euo pipefail
p5scope=$1 snippets=$2 compare=$3 first=$4 count=${P5SCOPE_DIFFERENTIAL:-$5}
[ "$(uname -m)" = x86_64 ] && "$snippets" >/dev/null 2>&1 || { echo "this machine does not run i386 programs: skipped"; exit 77; }
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
piece=20000 status=0
for ((at = first; at < first + count; at += piece)); do
    n=$((first + count - at < piece ? first + count - at : piece))
    "$snippets" "$at" "$n" >"$here/expected"
    "$p5scope" run -q "$snippets" "$at" "$n" >"$here/got" || { echo "p5scope ended with status $? within $n snippets from $at"; status=1; }
    "$compare" "$here/expected" "$here/got" || status=1
done
exit $status
