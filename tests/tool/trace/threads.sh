#!/bin/sh
# threads.sh P5SCOPE GUESTS: a trace holds the same in one thread and in two, byte by byte: rows, waveforms with the instructions that come next
# (of a program that overwrites its code, too), pipelines; so do the reports of intervals.
set -u
p5scope=$1 guests=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0 compared=0

# same ENDING OPTIONS GUEST...: what is written but for the option itself
same() {
    same_of trace "$@"
}

# same_of VERB ENDING OPTIONS GUEST...
same_of() {
    verb=$1 ending=$2 options=$3
    shift 3
    for threads in 1 2; do
        # shellcheck disable=SC2086
        "$p5scope" $verb -q --threads $threads $options -o "$work/$threads.$ending" "$@" >/dev/null ||
            { echo "FAIL: $verb --threads $threads $options $*: status $?"; failed=1; return; }
        sed -i "s/--threads $threads//; s/$threads\\.$ending//; s/\"host\":{[^}]*}//" "$work/$threads.$ending"
    done
    compared=$((compared + 1))
    if ! cmp "$work/1.$ending" "$work/2.$ending"; then
        echo "FAIL: $ending, $options, $*: one thread (<) and two (>)"
        diff -a "$work/1.$ending" "$work/2.$ending" | head -10
        failed=1
    fi
}

same csv '-I 50000c' "$guests/quicksort" 2
same csv '-I 30011i' "$guests/sieve" 1
same jsonl '-I 50000c --model p54c-133' "$guests/quicksort" 2
same json '-I 50000c' "$guests/mmx" 300
same vcd '-I 20000c' "$guests/quicksort" 2
same vcd '-I 1000c' "$guests/selfmod" 500
same vcd '-I 5000i --bus-clock' "$guests/x87" 20
same kanata '--from 100000c --to 120000c' "$guests/x87" 100
same_of stat txt '-I 30000c' "$guests/quicksort" 2
same_of stat csv '-I 20011i -x,' "$guests/sieve" 1
same_of stat json '-I 9000c -j --model p54c-133' "$guests/walk1m" 1
same_of stat roi '-I 5000c --roi main --interval-count 20' "$guests/quicksort" 2
[ $failed = 0 ] || exit 1
echo "$compared traces are the same in one thread and in two"
