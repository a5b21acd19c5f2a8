#!/usr/bin/env bash
# coverage.sh P5SCOPE COVERAGE SNIPPETS SYSTEM-IMAGE DOCUMENT: checks that every form of the instruction table is executed by one of the programs
# that oracles check, or by a program listed in coverage.txt. Writes DOCUMENT, which names the program for each form.
set -euo pipefail
p5scope=$1 coverage=$2 snippets=$3 image=$4 document=$5
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
"$p5scope" run -q "$snippets" 0 15000 >"$here/snippets"
cp "$image" "$here/system.img"
for breakpoints in '\0' '\x01'; do # 2,500 tests from 0, without and with breakpoints
    printf '\0\0\0\0\xc4\x09\0\0%b\0\0\0\x01\0\0\0' "$breakpoints" | dd of="$here/system.img" bs=1 seek=492 conv=notrunc status=none
    "$p5scope" run -q "$here/system.img" >>"$here/system" </dev/null || [ $? = 1 ]
done
"$coverage" "$(dirname "$0")/coverage.txt" "$here/snippets" "$here/system" "$document"
