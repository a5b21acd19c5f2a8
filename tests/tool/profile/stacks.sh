#!/bin/sh
# stacks.sh P5SCOPE STACKS: folded stacks of stacks.s by executions; the numbers are those of its comments.
p5scope=$1 guest=$2
. "$(dirname "$0")/common.sh"
"$p5scope" record -q -o "$scratch/p" "$guest" || fail "the guest failed"
"$p5scope" report "$scratch/p" --fold executions | grep -v 'kernel' >"$scratch/got"
cat >"$scratch/expected" <<'END'
_start 14
_start;interrupted 9
_start;interrupted;handler 6
_start;outer 6
_start;outer;middle 2
_start;outer;middle;deep 3
_start;plain 3
_start;reads_eip 4
_start;recursive 19
_start;tail 2
_start;tail;tail_target 2
END
diff "$scratch/expected" "$scratch/got" || fail "< expected, > the folded stacks"
