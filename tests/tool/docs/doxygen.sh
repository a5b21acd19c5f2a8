#!/bin/sh
# doxygen.sh SOURCE: the reference of the library is made without a warning (every struct, function and link in the headers' comments), and has what
# the headers declare. Skipped where Doxygen is not installed.
set -eu
command -v doxygen >/dev/null || { echo "no doxygen: skipped"; exit 77; }
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{ cat docs/Doxyfile; echo "OUTPUT_DIRECTORY = $work"; } | doxygen - >"$work/log" 2>&1 || { cat "$work/log"; echo "FAIL: Doxygen"; exit 1; }
status=0
for function in $(cat include/p5scope/*.h | grep -v '^static' | grep -ohE '^[a-z][A-Za-z0-9_ ]*[ *]p5_[a-z0-9_]+\(' | grep -oE 'p5_[a-z0-9_]+' | sort -u); do
    grep -rqF ">$function<" "$work/api" || { echo "FAIL: $function is not in the reference"; status=1; }
done
exit $status
