#!/bin/bash
# region.sh P5SCOPE PROGRAM [ARGUMENT...]: the counts of `stat --roi` for the parts of a run, and for a function and the rest, add up to the whole.
set -eu
p5scope=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# counts REGION: "event value" of every event
counts() {
    "$p5scope" stat -j -o "$work/report" ${1:+--roi "$1"} "${program[@]}" >/dev/null
    jq -r 'select(.event) | "\(.event) \(.value)"' "$work/report" | awk '$2 != 0' | sort
}
same() {
    if ! cmp -s "$work/$1" "$work/$2"; then
        echo "FAIL: $3"
        diff "$work/$1" "$work/$2" | head -10
        exit 1
    fi
}
program=("$@")
counts "" >"$work/whole"
for cut in 777i 5000c; do
    counts "0c,$cut" >"$work/first"
    counts "$cut,1e15c" >"$work/second"
    cat "$work/first" "$work/second" | awk '{ sum[$1] += $2 } END { for (name in sum) print name, sum[name] }' | sort >"$work/sum"
    same whole sum "the counts before and behind $cut do not add up"
    if ! awk '$1 == "clocks" { exit !($2 > 0) }' "$work/second"; then
        echo "FAIL: nothing is counted behind $cut"
        exit 1
    fi
done
counts "sort" >"$work/function"
counts "sort,checksum" >"$work/from"
# sort calls itself. main calls it once, and executes what follows up to checksum.
join "$work/function" "$work/from" | awk '$2 > $3 { print "FAIL: " $1 " is " $2 " in sort, and " $3 " from there to checksum"; exit 1 }'
grep -q '"region":"sort","region-times":1' "$work/report" && exit 1
"$p5scope" stat -j -o "$work/report" --roi sort "${program[@]}" >/dev/null
grep -q '"region":"sort","region-times":1' "$work/report" || { echo "FAIL: the report does not say what the region was"; exit 1; }
# The intervals of a region add up to it, and there is more than one.
for line in "sort 50000c" "sort,checksum 50000c" "777i,1e15c 50000c" "0c,5000c 1000c"; do
    region=${line% *}
    "$p5scope" stat -j -o "$work/report" -I "${line#* }" --summary --roi "$region" "${program[@]}" >/dev/null
    jq -r 'select(.event and .interval == null) | "\(.event) \(.value)"' "$work/report" | awk '$2 != 0' | sort >"$work/whole"
    jq -r 'select(.event and .interval) | "\(.event) \(.value)"' "$work/report" | awk '{ sum[$1] += $2 } END { for (name in sum) if (sum[name] != 0) print name, sum[name] }' |
        sort >"$work/sum"
    [ -s "$work/whole" ] && [ "$(jq -r 'select(.event == "clocks" and .interval) | .interval' "$work/report" | sort -u | wc -l)" -gt 1 ] ||
        { echo "FAIL: no intervals of $region"; exit 1; }
    same whole sum "the intervals of $region do not add up to it"
done
"$p5scope" stat -j -o "$work/report" --roi 1e14c,1e15c "${program[@]}" 2>&1 >/dev/null | grep -q "did not reach" ||
    { echo "FAIL: no word about a region that was never reached"; exit 1; }
# An end that comes first, by another measure than the beginning, leaves nothing.
"$p5scope" stat -j -o "$work/report" --roi sort,20000i "${program[@]}" 2>&1 >/dev/null | grep -q "did not reach" ||
    { echo "FAIL: a region that ends before it begins"; exit 1; }
# An end that is relative to the beginning.
"$p5scope" stat -j -o "$work/report" --roi sort,+300i "${program[@]}" >/dev/null
[ "$(jq -r 'select(.summary) | .summary.instructions' "$work/report")" = 300 ] || { echo "FAIL: sort,+300i"; exit 1; }
# Parts that have nothing in common add up; what two have in common counts once.
counts "" >"$work/whole"
counts "0c,777i" >"$work/first"
two() {
    "$p5scope" stat -j -o "$work/report" --roi "$1" --roi "$2" "${program[@]}" >/dev/null
    jq -r 'select(.event) | "\(.event) \(.value)"' "$work/report" | awk '$2 != 0' | sort
}
two 0c,777i 777i,1e15c >"$work/both"
same whole both "0c,777i and 777i,1e15c are not the whole run"
two 0c,777i 100i,500i >"$work/both"
same first both "what lies within a region counts twice"
