#!/bin/sh
# stacks.sh P5SCOPE STACKS: folded stacks of stacks.s by executions, and regions of `stat --roi` with all that a function calls; the numbers are
# those of its comments.
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
while read -r expected regions; do
    "$p5scope" stat -x, -e instructions_executed -o "$scratch/report" $(printf -- '--roi %s ' $regions) "$guest" || fail "the guest failed"
    got=$(sed -n 's/^\([0-9]*\),.*/\1/p' "$scratch/report")
    [ "$got" = "$expected" ] || fail "$regions: $got instructions instead of $expected"
done <<'END'
3 plain
19 recursive
4 tail
2 tail_target
4 tail tail_target
11 outer
5 middle
3 deep
5 middle deep
21 recursive tail_target
3 handler
END
# _start never returns.
"$p5scope" stat -o "$scratch/report" --roi _start "$guest" || fail "the guest failed"
grep -q '(1 time, to the end of the run)' "$scratch/report" || fail "no word about a region in which the guest ended"
# A profile that begins in recursive, after 3 instructions of _start, 3 of plain and 2 of recursive: _start is not below its callee.
"$p5scope" record -q -o "$scratch/p" --fast-forward 8 "$guest" || fail "the guest failed"
"$p5scope" report "$scratch/p" --fold executions | grep -E '^(recursive|_start) |^recursive;' >"$scratch/got"
printf '%s\n' '_start 11' 'recursive 17' | diff - "$scratch/got" || fail "< expected, > the folded stacks after --fast-forward"
# A DOS program: the IRET of INT 21h that starts it does not call it. It calls INT 21h and a function, and ends.
#   mov ah,30h / int 21h / call f / mov ax,4C00h / int 21h / f: inc ax / ret
printf '\264\060\315\041\350\005\000\270\000\114\315\041\100\303' >"$scratch/p.com"
"$p5scope" record -q -o "$scratch/p" "$scratch/p.com" || fail "the DOS program failed"
"$p5scope" report "$scratch/p" --fold executions | sed 's/sub_[0-9a-f]*0;/main;/;s/sub_[0-9a-f]*0_/main_/;s/sub_[0-9a-f]*c_/f_/' >"$scratch/got"
sed -i '/^main;\[int_21h\]/s/ [0-9]*$//;/^\[int_21h\]/s/ [0-9]*$//' "$scratch/got" # the service's own instructions
cat >"$scratch/expected" <<'END'
[int_21h]_[k]
main;[int_21h]_[k]
main;f_[k] 2
main_[k] 5
END
diff "$scratch/expected" "$scratch/got" || fail "< expected, > the folded stacks of the DOS program"
"$p5scope" trace -q -o "$scratch/t.json" --functions=0 "$scratch/p.com" || fail "the DOS program cannot be traced"
[ "$(grep -c '"name":"\[int 21h\]","ph":"X"' "$scratch/t.json")" = 3 ] || fail "activations of INT 21h"
grep -q '"name":"\[int 21h\]","ph":"X","ts":0,.*"dur":[0-9]\{1,3\}}' "$scratch/t.json" || fail "the program is a part of INT 21h"
