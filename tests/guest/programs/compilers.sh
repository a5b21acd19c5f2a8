#!/bin/sh
# compilers.sh P5SCOPE OTHER TESTPROGS GUESTS: two builds of p5scope (of different compilers or options, or before and after a change)
# report and trace the same bits for the bundled programs on both processors, with one and with two threads, and report the same for
# minigzip and Lua if they are built.
set -eu
one=$1
other=$2
programs=$3
guests=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

count=0
# run VERB MODEL INPUT OPTION... PROGRAM [ARGUMENT...]: all of the output but the line of options, the version and the time of the host
run() {
    verb=$1
    model=$2
    input=$3
    shift 3
    for build in one other; do
        eval "p5scope=\$$build"
        rm -f "$work/$build" # what a build that does not start would leave of the run before
        "$p5scope" "$verb" --model "$model" -o "$work/$build" "$@" >"$work/$build.out" <"$input" || true
        sed -e 's/"options":"[^"]*"//' -e 's/"version":"[^"]*"//' -e 's/,"host":.*//' -e "s,$work/$build,OUT," -e '/^#/d' "$work/$build" >"$work/$build.text"
    done
    if ! [ -s "$work/one.text" ]; then
        echo "FAIL: $verb $model $*: no output"
        exit 1
    fi
    if ! cmp -s "$work/one.out" "$work/other.out" || ! cmp "$work/one.text" "$work/other.text"; then
        diff "$work/one.text" "$work/other.text" | head -20
        echo "FAIL: $verb $model $*: $one and $other differ"
        exit 1
    fi
    count=$((count + 1))
}

# compare MODEL INPUT PROGRAM [ARGUMENT...]
compare() {
    model=$1
    input=$2
    shift 2
    for threads in 1 2; do
        run stat "$model" "$input" -j --threads=$threads "$@"
    done
}

# traces MODEL PROGRAM [ARGUMENT...]
traces() {
    model=$1
    shift
    for threads in 1 2; do
        run trace "$model" /dev/null --format=csv -I 10000c --threads=$threads "$@"
        run trace "$model" /dev/null --format=vcd --to=20000c --threads=$threads "$@"
    done
    run trace "$model" /dev/null --format=kanata --to=20000c "$@"
}

for model in p55c-200 p54c-133; do
    for line in hello "alu 2" "walk16k 20" "walk1m 1" "sieve 2" "quicksort 2" "x87 50" "selfmod 500"; do
        # shellcheck disable=SC2086
        compare $model /dev/null "$programs"/$line
        # shellcheck disable=SC2086
        traces $model "$programs"/$line
    done
    if [ -f "$guests/stamp" ]; then
        compare $model "$guests/scripts/floats.lua" "$guests/lua" -
        compare $model "$guests/text" "$guests/minigzip"
    fi
done
compare p55c-200 /dev/null "$programs/mmx" 100
compare p55c-200 /dev/null "$programs/rdpmc.elf"
printf '%d runs, the same bits from both\n' $count
