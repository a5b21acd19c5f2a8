#!/bin/bash
# snapshot.sh P5SCOPE NASM FILE.asm INSTRUCTIONS: a program that draws, saved in the middle, ends from the snapshot as it does without.
set -u
p5scope=$1 nasm=$2 source=$3 at=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$nasm" -f bin -I "$(dirname "$source")/" -o "$work/p.com" "$source" || exit 1
"$p5scope" run --save "$work/s" --save-at "${at}i" "$work/p.com" >"$work/first" || exit 1
"$p5scope" run --load "$work/s" "$work/p.com" >"$work/second" || exit 1
tail -n 1 "$work/first" | grep . >"$work/last" && tail -n 1 "$work/second" | cmp - "$work/last"
