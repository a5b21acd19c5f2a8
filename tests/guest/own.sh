#!/bin/sh
# own.sh P5SCOPE PROGRAM: a guest that works in its own /tmp, saved at places all over its run, continues from each as it would have.
set -e
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
for at in $(seq 300 600 13500); do
    "$1" run -q --max-instructions "$at" --save "$here/state" "$2" /tmp 2>/dev/null || true
    "$1" run -q --load "$here/state" || { echo "saved after $at instructions: status $?"; exit 1; }
done
"$1" run -q --load "$here/state" --dir "$here:/tmp:rw" 2>&1 | grep -q "has its own /tmp" || { echo "--dir for /tmp goes on"; exit 1; }
