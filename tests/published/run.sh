#!/bin/sh
# run.sh P5SCOPE DIR [gmp | openssl | linux | --write]: runs the guests that build.sh put into DIR on the models of figures.tsv and compares what
# each routine takes with what was published. Without a family, all of them, and their mean must lie between 0.97 and 1.02; --write also renews
# the summary in docs/fidelity.md and the table of docs/published.md. Exit status 1 if a figure lies outside of its bounds; 77 (skipped) if the guests have
# not been built, unless P5_REQUIRE_GUESTS is set.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
docs=$here/../../docs
p5scope=$1 dir=$2 family=${3-} write=
if [ "$family" = --write ]; then
    family='' write=1
fi
if [ ! -f "$dir/stamp" ]; then
    echo "no guests in $dir: ./dev published builds them"
    [ -n "${P5_REQUIRE_GUESTS:-}" ] && exit 1
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

awk -F'\t' -v family="$family" 'FNR > 1 && (family == "" || $2 == family) { print $2, $5 }' "$here/figures.tsv" | sort -u >"$work/runs"
while read -r package model; do
    # A bare-metal guest that ends with value 0 gives status 1.
    "$p5scope" run --model "$model" "$dir/$package.elf" </dev/null >"$work/out" || [ $? = 1 ] || { echo "FAIL: $package.elf does not end as it should on $model"; exit 1; }
    sed "s/^/$model /" "$work/out" >>"$work/clocks"
done <"$work/runs"

# Prints a line for each figure, and writes the rows of the document to $work/rows.
awk -F'\t' -v family="$family" -v work="$work" '
    function deviation(r) { return r < 1 ? 1 - r : r - 1 }
    BEGIN {
        while ((getline line < (work "/clocks")) > 0) { split(line, f, " "); took[f[2] " " f[1]] = f[3] / f[4] }
        worst = 1
    }
    FNR == 1 || (family != "" && $2 != family) { next }
    !(($1 " " $5) in took) { print "FAIL " $1 " on " $5 ": the guest does not print it"; failed = 1; next }
    {
        ours = took[$1 " " $5]; ratio = ours / $7
        n++; sum += ratio; off += deviation(ratio)
        if (deviation(ratio) > deviation(worst)) { worst = ratio; which = $1 " on " $5 }
        precision = $7 >= 1000 ? 0 : $7 >= 100 ? 1 : $7 >= 10 ? 2 : 3
        shown = sprintf("%." precision "f", ours)
        printf "%-28s %-9s %-28s %9s %9s  %.3f\n", $1, $5, $6, $7, shown, ratio
        printf "| %s | %s: /%s | %s | %s | %s | %s | %.3f | %s |\n", $1, $2, $3, $4, $6, $7, shown, ratio, $9 == "-" ? "" : $9 >(work "/rows")
        if ($8 > 5 && $9 == "-") { print "FAIL " $1 ": a figure that may be off by more than 5 % needs a remark"; failed = 1 }
        if (100 * deviation(ratio) > $8) { print "FAIL " $1 " on " $5 ": outside of " $8 " %"; failed = 1 }
    }
    END {
        if (n == 0) { print "FAIL: figures.tsv has nothing of " family; exit 1 }
        summary = sprintf("%d figures: mean ratio %.3f, mean deviation %.1f %%, worst %.3f (%s)", n, sum / n, 100 * off / n, worst, which)
        print summary
        print summary >(work "/summary")
        if (family == "" && (sum / n < 0.97 || sum / n > 1.02)) { print "FAIL: the mean lies outside of 0.97 to 1.02"; failed = 1 }
        exit failed
    }' "$here/figures.tsv"
[ -n "$write" ] || exit 0

# page FILE [HEADER]: writes the summary, and with HEADER the table before it, between the marks of FILE.
page() {
    awk -v rows="$work/rows" -v summary="$work/summary" -v header="${2-}" '
        function copy(file, line) { while ((getline line < file) > 0) print line }
        /^<!-- published: end -->/ { skip = 0 }
        !skip
        /^<!-- published: begin -->/ {
            skip = 1
            print ""
            if (header != "") {
                print header
                gsub(/[^|]+/, "---", header)
                print header
                copy(rows)
                print ""
            }
            copy(summary)
            print ""
        }' "$1" >"$work/page"
    cp "$work/page" "$1"
}
page "$docs/fidelity.md"
page "$docs/published.md" '| figure | source | machine | unit | published | p5scope | ratio | remark |'
