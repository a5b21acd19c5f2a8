#!/bin/sh
# run.sh P5SCOPE CASES FOLDER...: the measured figures in CASES/FOLDER must come out, all but those that known_failures.txt names; and those must fail,
# so that the list stays true. Exit status 77 (skipped) when there is no such folder.
set -eu
program=$1
cases=$2
shift 2
known=$(dirname "$0")/known_failures.txt
for folder in "$@"; do
    if [ ! -d "$cases/$folder" ]; then
        echo "skipped: no measured figures in $cases/$folder"
        exit 77
    fi
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for folder in "$@"; do
    "$program" check "$cases/$folder" >>"$work/out" 2>&1 || true
done
awk '$1 == "ok" || $1 == "FAIL" { print $2, $3 }' "$work/out" | sort >"$work/run"
awk '$1 == "FAIL" { print $2, $3 }' "$work/out" | sort >"$work/failed"
sed -e 's/#.*//' -e 's/[[:space:]]*$//' -e '/^$/d' "$known" | sort | comm -12 - "$work/run" >"$work/known"
status=0
if [ ! -s "$work/run" ]; then
    echo "no case was run:"
    cat "$work/out"
    status=1
fi
comm -23 "$work/failed" "$work/known" >"$work/new"
if [ -s "$work/new" ]; then
    echo "these should pass (known failures stand in $known, with the reason in docs/fidelity.md):"
    while read -r name model; do grep -A 3 "^FAIL $name $model " "$work/out" | sed '/^ok/d;/^--/d'; done <"$work/new"
    status=1
fi
comm -13 "$work/failed" "$work/known" >"$work/mended"
if [ -s "$work/mended" ]; then
    echo "these pass now; take them off $known and docs/fidelity.md:"
    cat "$work/mended"
    status=1
fi
awk '/^[0-9]+ passed/ { passed += $1; failed += $3 } END { print passed " passed, " failed " failed, all of them known" }' "$work/out"
exit $status
