#!/usr/bin/env bash
# Operations on a stack of 16 bits do what the host's processor does, on both models.   stack16.sh P5SCOPE NATIVE GUEST
set -euo pipefail
p5scope=$1 native=$2 guest=$3
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
"$native" >"$here/expected" || { echo "this host runs no i386 program with segments of its own: skipped"; exit 77; }
[ "$(wc -l <"$here/expected")" -gt 100 ] || { echo "the program printed too little on the host"; exit 1; }
for model in p55c-200 p54c-133; do
    "$p5scope" run -q --model $model "$guest" >"$here/is"
    diff "$here/expected" "$here/is" || { echo "$model: (<) the host's processor, (>) p5scope"; exit 1; }
done
