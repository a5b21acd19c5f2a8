#!/bin/sh
# damaged.sh P5SCOPE GUEST: files that are not profiles, cut short, or changed at random are refused with a message; nothing crashes.
p5scope=$1 guest=$2
. "$(dirname "$0")/common.sh"
"$p5scope" record -q -o "$scratch/p" "$guest" >/dev/null
refused() {
    "$p5scope" report "$1" >"$scratch/out" 2>&1
    status=$?
    [ $status = 129 ] || { cat "$scratch/out"; fail "$2: status $status, not 129"; }
    grep -q "$3" "$scratch/out" || { cat "$scratch/out"; fail "$2: the message says nothing of '$3'"; }
}
refused "$scratch/none" "no file" 'cannot read'
echo hello >"$scratch/text"
refused "$scratch/text" "a text" 'not a profile'
: >"$scratch/empty"
refused "$scratch/empty" "an empty file" 'not complete'
sed 's/^p5scope-profile 1/p5scope-profile 2/' "$scratch/p" >"$scratch/version"
refused "$scratch/version" "another version" 'not a profile of format'
head -c 5000 "$scratch/p" >"$scratch/short"
refused "$scratch/short" "a short file" 'not complete\|damaged'
sed 's/^site \([0-9a-f]*\) [0-9]* /site \1 99999 /' "$scratch/p" >"$scratch/context"
refused "$scratch/context" "a context that is not there" 'contradicts'
# Folded stacks repeat the callers in each line: 30000 functions that call each other would be gigabytes.
awk 'BEGIN {
    print "p5scope-profile 1\nobject prog\nversion 1.0.0\nmodel p55c-200\ncommand x\noptions \nfamily p55c\nclock-mhz 200"
    print "quantity 0 stall_agi\ntotal 1 0:30000\nfunction 1000 2000 = " sprintf("%0200d", 0)
    print "code 1000 0 0 32 -1 0 90"
    for (i = 2; i < 30002; i++) print "context " i " " i - 1 " 1000 1000"
    for (i = 2; i < 30002; i++) print "site 1000 " i " 1 0:1"
    print "end" }' >"$scratch/deep"
limit=2000000 # KB
(ulimit -v $limit; "$p5scope" --version) >"$scratch/out" 2>&1 || limit=unlimited # the address sanitizer needs all address space
(ulimit -v $limit; "$p5scope" report "$scratch/deep" -o "$scratch/deep.folded" 2>"$scratch/out")
grep -q 'the stacks are too deep' "$scratch/out" || fail "30000 nested functions: $(cat "$scratch/out")"
# One line less, one word less, one letter more: refused or read, never a signal.
lines=$(wc -l <"$scratch/p")
for n in $(seq 1 7 "$lines"); do
    for change in "${n}d" "${n}s/ [^ ]*$//" "${n}s/[0-9]/x/" "${n}s/ / 99999999999999999999 /"; do
        sed "$change" "$scratch/p" >"$scratch/changed"
        "$p5scope" report "$scratch/changed" >/dev/null 2>&1
        [ $? -lt 130 ] || fail "crashed by sed '$change'"
    done
done
