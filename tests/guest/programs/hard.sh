#!/bin/sh
# hard.sh P5SCOPE NASM INCLUDE WORST INSTRUCTIONS: in code that is hard to price (worst.py), every stretch costs the same with the memo and on the exact
# path, on both models.
set -eu
p5scope=$1 nasm=$2 include=$3 worst=$4 instructions=$5
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for kind in $("$worst"); do
    "$worst" "$kind" >"$dir/guest.asm"
    "$nasm" -I "$include/" -f bin -o "$dir/guest.bin" "$dir/guest.asm"
    address=$(awk 'NR == 1 { print $2 }' "$dir/guest.asm")
    for model in p55c-200 p54c-133; do
        "$p5scope" run --check-memo -q --model "$model" --max-instructions "$instructions" "--flat=$address" "$dir/guest.bin" 2>"$dir/said" >"$dir/out" </dev/null || true
        grep -q '^p5scope: [1-9][0-9]* stretches, each the same with the memo' "$dir/said" || { echo "FAIL: $kind, $model"; cat "$dir/said"; exit 1; }
    done
done
