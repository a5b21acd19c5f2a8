#!/bin/sh
# mappings.sh P5SCOPE PROGRAM: snapshots of a guest that has files mapped go on as it would have.
set -e
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
for at in 12500 12800 13100 13400 13700 14000; do
    rm -rf "$here/share"
    mkdir "$here/share"
    "$1" run -q --dir "$here/share:/share:rw" --max-instructions $at --save "$here/state" "$2" /share 2>/dev/null
    "$1" run -q --dir "$here/share:/share:rw" --load "$here/state" || { echo "saved after $at instructions: status $?"; exit 1; }
done
