#!/bin/sh
# summary.sh P5SCOPE DIR...: runs the case files below the DIRs and prints, for each group of them, how many cases pass and the largest error of
# an expected clock figure. A group is a folder and the class that a case's note names ("...; core, high confidence").
set -eu
program=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for folder in "$@"; do
    find "$folder" -name '*.s' | while read -r file; do
        class=$(sed -n 's/^#! note.*; \([a-z]*\), [a-z]* confidence.*/\1/p' "$file" | head -n 1)
        name=$(sed -n 's/^#! case //p' "$file" | head -n 1)
        printf '%s %s %s\n' "${name:-$(basename "$file" .s)}" "$(basename "$folder")" "${class:-all}"
    done
done >"$work/groups"
"$program" check -v "$@" >"$work/out" 2>&1 || true
awk '
    NR == FNR { group[$1] = $2 " " $3; next }
    $1 == "ok" || $1 == "FAIL" {
        here = group[$2]; worst_here = $2 " " $3
        cases[here]++
        if ($1 == "ok") passed[here]++
        next
    }
    $1 == "clocks:" && $2 == "expected" {
        got = $0; sub(/.*got /, "", got); sub(/ .*/, "", got)
        expected = $3; sub(/,/, "", expected)
        error = expected != 0 ? (got - expected) / expected * 100 : 0
        if (error * error > worst[here] * worst[here]) { worst[here] = error; who[here] = worst_here }
    }
    END {
        printf "| folder, class | case x model | pass | largest error of clocks | in |\n|---|---|---|---|---|\n"
        for (g in cases) printf "| %s | %d | %d | %+.1f %% | %s |\n", g, cases[g], passed[g], worst[g], who[g] | "sort"
    }' "$work/groups" "$work/out"
