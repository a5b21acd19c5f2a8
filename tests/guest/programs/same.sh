#!/bin/sh
# same.sh P5SCOPE PROGRAM [ARGUMENT...]: the program gives the same output and status in p5scope as on this machine.
set -u
p5scope=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$@" >"$work/expected" 2>&1 </dev/null
expected=$?
if [ $expected = 126 ]; then
    echo "skipped: this machine does not run i386 programs"
    exit 77
fi
"$p5scope" stat -o "$work/report" "$@" >"$work/came" 2>&1 </dev/null
came=$?
if [ $came != $expected ] || ! cmp -s "$work/expected" "$work/came"; then
    echo "FAIL: $*"
    echo "expected: status $expected and this output"
    head -20 "$work/expected"
    echo "came: status $came and this output"
    head -20 "$work/came"
    exit 1
fi
if ! grep -q . "$work/report"; then
    echo "FAIL: $*: stat wrote no report"
    exit 1
fi
