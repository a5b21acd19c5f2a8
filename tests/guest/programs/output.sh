#!/bin/sh
# output.sh STATUS EXPECTED P5SCOPE ARGUMENT...: `p5scope run ARGUMENT...` writes EXPECTED (with \n for line ends) and ends with STATUS.
set -u
status=$1 expected=$(printf "$2") p5scope=$3
shift 3
output=$("$p5scope" run "$@" </dev/null)
came=$?
if [ "$came" != "$status" ] || [ "$output" != "$expected" ]; then
    printf 'FAIL: p5scope run %s\nexpected: status %s and\n%s\ncame: status %s and\n%s\n' "$*" "$status" "$expected" "$came" "$output"
    exit 1
fi
