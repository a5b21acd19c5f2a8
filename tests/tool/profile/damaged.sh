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
# One line less, one word less, one letter more: refused or read, never a signal.
lines=$(wc -l <"$scratch/p")
for n in $(seq 1 7 "$lines"); do
    for change in "${n}d" "${n}s/ [^ ]*$//" "${n}s/[0-9]/x/" "${n}s/ / 99999999999999999999 /"; do
        sed "$change" "$scratch/p" >"$scratch/changed"
        "$p5scope" report "$scratch/changed" >/dev/null 2>&1
        [ $? -lt 130 ] || fail "crashed by sed '$change'"
    done
done
