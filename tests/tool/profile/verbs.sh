#!/bin/sh
# verbs.sh P5SCOPE QUICKSORT: report, annotate and diff agree with each other and with stat; exit statuses for build servers.
# The guest's path stands on its stack and moves what lies there, so it is the same wherever the tree lies.
. "$(dirname "$0")/common.sh"
p5scope=$1 guest=./$(basename "$2")
cd "$(dirname "$2")" || fail "$2 is not there"
"$p5scope" record -q -o "$scratch/a" "$guest" 2 >/dev/null || fail "record"
"$p5scope" record -q -o "$scratch/b" "$guest" 3 >/dev/null || fail "record"
p() { "$p5scope" "$@" || fail "p5scope $*"; }
# Counts of all functions, lines and addresses add up to the same.
for key in symbol line address file mode; do
    p report "$scratch/a" -n -t, -s $key -e clocks,instructions_executed | awk -F, '!/^#/ { a += $2; b += $4 } END { print a, b }'
done | sort -u >"$scratch/sums"
[ "$(wc -l <"$scratch/sums")" = 1 ] || { cat "$scratch/sums"; fail "tables by different keys differ in sum"; }
clocks=$("$p5scope" stat -x, -e clocks "$guest" 2 2>&1 >/dev/null | awk -F, '$3 == "clocks" { print $1 }')
[ "$(cut -d' ' -f1 "$scratch/sums")" = "$clocks" ] || fail "$(cat "$scratch/sums") is not stat's $clocks"
# So does the listing of a function.
sort_clocks=$(p report "$scratch/a" -n -t, | awk -F, '$5 == "[.] sort" { print $2 }')
listed=$(p annotate -i "$scratch/a" sort | awk '/ : +[0-9a-f]+:  / { s += $3 } END { print s }')
[ "$sort_clocks" = "$listed" ] || fail "sort: $sort_clocks clocks in the table, $listed in the listing"
# The head of a listing has the clocks of the table.
for function in main sort _start '[kernel]'; do
    expected=$(p report "$scratch/a" -n -t, | awk -F, -v f="$function" 'substr($5, 5) == f { print $2 }')
    head=$(p annotate -i "$scratch/a" "$function" | sed -n '1s/^# .*: \([0-9,]*\) clocks.*/\1/p' | tr -d ,)
    [ -n "$expected" ] && [ "$head" = "$expected" ] || fail "$function: $expected clocks in the table, $head in the head of the listing"
done
p annotate -i "$scratch/a" -M intel | grep '^# sort:' >/dev/null || fail "the costliest function is sort"
p annotate -i "$scratch/a" sort | grep 'quicksort.c:[0-9]*  ' >/dev/null || fail "no source lines"
"$p5scope" annotate -i "$scratch/a" srot 2>&1 | grep -q "did you mean 'sort'" || fail "no hint at the name"
# diff: equal profiles, growth, thresholds.
p diff "$scratch/a" "$scratch/a" --threshold 0 >"$scratch/same"
p diff "$scratch/a" "$scratch/b" >"$scratch/text"
grep -q '^  clocks .*%$' "$scratch/text" || fail "no clocks in diff"
"$p5scope" diff "$scratch/a" "$scratch/b" --threshold 10 >/dev/null
[ $? = 1 ] || fail "half as much again is no more than 10 %"
p diff "$scratch/a" "$scratch/b" --threshold 100 >/dev/null
p diff "$scratch/b" "$scratch/a" --threshold 0 -e clocks,data_read_miss >/dev/null
"$p5scope" diff "$scratch/a" >/dev/null 2>&1
[ $? = 129 ] || fail "one profile is not two"
"$p5scope" report "$scratch/a" -e no_such_event >/dev/null 2>&1
[ $? = 129 ] || fail "an event that is none"
"$p5scope" record -o "$scratch/none/x" "$guest" 1 >"$scratch/out" 2>&1
[ $? = 129 ] || fail "a file that cannot be written"
grep -q quicksort "$scratch/out" && grep -q f49dacd0 "$scratch/out" && fail "the guest ran for nothing"
# The page has the 100 costliest functions, costliest first, with the clocks of the table. A program with a C library has more.
if command -v jq >/dev/null; then
    "$p5scope" record -q --isa=permissive -o "$scratch/many" ./glibc_hello >/dev/null 2>&1 || fail "record"
    "$p5scope" report "$scratch/many" --page >"$scratch/page" || fail "report --page"
    p report "$scratch/many" -n -t, -s symbol -e clocks | awk -F, '!/^#/ && $2 > 0 { print $2 }' | sort -rn >"$scratch/functions"
    [ "$(wc -l <"$scratch/functions")" -gt 30 ] || fail "only $(wc -l <"$scratch/functions") functions"
    jq '.functions[].clocks' "$scratch/page" >"$scratch/shown"
    head -n 100 "$scratch/functions" | diff - "$scratch/shown" || fail "< the costliest functions, > those of the page"
    # It has the entries of the branch target buffer, predicted taken and not.
    p report "$scratch/a" --page >"$scratch/page"
    awk 'function padded(x) { x = "0000000" x; return substr(x, length(x) - 7) }
         $1 == "btb" { print $2, $3, padded($4), padded($5), $6 ? "true" : "false" }' "$scratch/a" >"$scratch/entries"
    [ "$(cut -d' ' -f5 "$scratch/entries" | sort -u | wc -l)" = 2 ] || fail "all entries have the same prediction"
    jq -r '.btb.entries[] | "\(.set) \(.way) \(.address) \(.target) \(.taken)"' "$scratch/page" >"$scratch/shown"
    diff "$scratch/entries" "$scratch/shown" || fail "< the profile's branch target buffer, > the page's"
fi
exit 0
