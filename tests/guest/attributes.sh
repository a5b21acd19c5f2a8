#!/bin/sh
# attributes.sh PROGRAM [P5SCOPE]: a program that takes a directory, natively, or as a guest of P5SCOPE.
set -e
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
echo hello >"$here/input"
mkdir "$here/share"
if [ $# = 1 ]; then
    "$1" "$here/share" <"$here/input"
else
    "$2" run -q --dir "$here/share:/share:rw" "$1" /share <"$here/input"
fi
