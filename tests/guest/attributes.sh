#!/bin/sh
# attributes.sh PROGRAM [P5SCOPE]: runs a program that works in a directory, natively or as a guest of P5SCOPE.
set -e
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
echo hello >"$here/input"
mkdir "$here/share"
if [ $# = 1 ]; then
    status=0
    "$(dirname "$0")/natively.sh" "$1" "$here/share" <"$here/input" || status=$?
    [ $status != 126 ] || { echo "this machine runs no i386 programs: skipped"; status=77; }
    exit $status
else
    "$2" run -q --dir "$here/share:/share:rw" "$1" /share <"$here/input"
fi
