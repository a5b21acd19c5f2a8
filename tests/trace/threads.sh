#!/bin/sh
# threads.sh P5SCOPE GUESTS: a trace holds the same in one thread and in two, byte by byte: rows, waveforms with the instructions that come next
# (of a program that overwrites its code, too), pipelines.
set -u
p5scope=$1 guests=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0 compared=0

# same ENDING OPTIONS GUEST...: what is written but for the option itself
same() {
    ending=$1 options=$2
    shift 2
    for threads in 1 2; do
        # shellcheck disable=SC2086
        "$p5scope" trace -q --threads $threads $options -o "$work/$threads.$ending" "$@" >/dev/null ||
            { echo "FAIL: trace --threads $threads $options $*: status $?"; failed=1; return; }
        sed -i "s/--threads $threads//; s/$threads\\.$ending//" "$work/$threads.$ending"
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
[ $failed = 0 ] || exit 1
echo "$compared traces are the same in one thread and in two"
