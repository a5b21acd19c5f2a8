#!/bin/sh
# compilers.sh P5SCOPE OTHER TESTPROGS GUESTS: two builds of p5scope (of different compilers or options) report the same bits for the
# bundled programs on both processors, and for minigzip and Lua if they are built.
set -eu
one=$1
other=$2
programs=$3
guests=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

count=0
# compare MODEL INPUT PROGRAM [ARGUMENT...]: everything in the report but the line of options and the time of the host
compare() {
    model=$1
    input=$2
    shift 2
    for build in one other; do
        eval "p5scope=\$$build"
        "$p5scope" stat -j --model "$model" -o "$work/$build" "$@" >"$work/$build.out" <"$input" || true
        sed -e 's/"options":"[^"]*"//' -e 's/,"host":.*//' "$work/$build" >"$work/$build.json"
    done
    if ! grep -q '"event":"clocks"' "$work/one.json"; then
        echo "FAIL: $model $*: no report"
        exit 1
    fi
    if ! cmp -s "$work/one.out" "$work/other.out" || ! diff "$work/one.json" "$work/other.json"; then
        echo "FAIL: $model $*: $one and $other differ"
        exit 1
    fi
    count=$((count + 1))
}

for model in p55c-200 p54c-133; do
    for line in hello "alu 2" "walk16k 20" "walk1m 1" "sieve 2" "quicksort 2" "x87 50" "selfmod 500"; do
        # shellcheck disable=SC2086
        compare $model /dev/null "$programs"/$line
    done
    if [ -f "$guests/stamp" ]; then
        compare $model "$guests/scripts/floats.lua" "$guests/lua" -
        compare $model "$guests/text" "$guests/minigzip"
    fi
done
compare p55c-200 /dev/null "$programs/mmx" 100
compare p55c-200 /dev/null "$programs/rdpmc.elf"
printf '%d runs, the same bits from both\n' $count
