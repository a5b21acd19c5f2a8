#!/usr/bin/env bash
# run.sh BUILD [PAIRS] [--write]: runs the kernels of testprogs/bench, and minigzip and Lua if ./dev guests has built them, in turn under `p5scope
# stat` (all events), under cachegrind with caches and branches, and on the engine without a model (bare.c), PAIRS times (default 5), and
# prints medians; then the start-up time. Times are the CPU time of the whole process, start-up included, so that other work on the machine
# disturbs little. --write puts the table into docs/performance.md.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$1
shift
pairs=5 write=
for argument; do
    case $argument in
    --write) write=1 ;;
    *[!0-9]* | 0) echo "usage: run.sh BUILD [PAIRS] [--write]" >&2; exit 2 ;;
    *) pairs=$argument ;;
    esac
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
guests=$root/build/guests
bare=$build/tests/bench/bare
[ -x /usr/bin/time ] || { echo "run.sh needs GNU time" >&2; exit 2; }

# name|standard input|command: about 300 million instructions each.
list() {
    local programs=$build/testprogs
    echo "alu|/dev/null|$programs/alu 300"
    echo "walk16k|/dev/null|$programs/walk16k 36000"
    echo "walk1m|/dev/null|$programs/walk1m 500"
    echo "sieve|/dev/null|$programs/sieve 240"
    echo "quicksort|/dev/null|$programs/quicksort 240"
    echo "x87|/dev/null|$programs/x87 40000"
    echo "mmx|/dev/null|$programs/mmx 90000"
    if [ ! -f "$guests/stamp" ]; then
        echo "minigzip and Lua are not there: ./dev guests builds them" >&2
        return 0
    fi
    for _ in 1 2 3 4 5 6 7 8; do cat "$guests/text"; done >"$work/text"
    echo "minigzip|$work/text|$guests/minigzip"
    echo "lua|$here/work.lua|$guests/lua -"
}

# measure WHO INPUT COMMAND...: runs it; its output goes to $work/WHO, CPU seconds and peak memory in MB to $work/WHO.runs.
measure() {
    local who=$1 input=$2
    shift 2
    /usr/bin/time -q -o "$work/time" -f '%U %S %M' "$@" <"$input" >"$work/$who" 2>"$work/log" ||
        { cat "$work/log" >&2; echo "failed: $*" >&2; exit 1; }
    cmp -s "$work/$who" "$work/native" || { [ "$who" = theirs ] || { echo "$name: different output of $who" >&2; exit 1; }; }
    awk '{ print ($1 + $2 > 0 ? $1 + $2 : 0.01), $3 / 1024 }' "$work/time" >>"$work/$who.runs"
}

# value NAME: a row of the CSV report
value() { awk -F ';' -v name="$1" '$3 == name { print $1; exit }' "$work/report"; }

# median FILE COLUMN
median() { awk -v c="$2" '{ print $c }' "$1" | sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

# ratios A B: of the first columns, pair by pair, sorted
ratios() { paste "$work/$1.runs" "$work/$2.runs" | awk '{ printf "%.2f\n", $3 / $1 }' | sort -n; }

echo "$pairs pairs; times are CPU seconds of whole processes; ratio = cachegrind's time / ours, model = our time / bare engine's" >&2
columns='%-10s %6s %8s %6s %6s %11s %6s  %-13s %6s %6s %8s\n'
# shellcheck disable=SC2059
printf "$columns" program Minsn Mclocks MIPS Mclk/s cachegrind ratio 'low to high' bare model 'peak MB' >&2
: >"$work/table"
list >"$work/list"
while IFS='|' read -r name input command; do
    rm -f "$work"/*.runs
    $command <"$input" >"$work/native" # cachegrind computes x87 in double precision, so that this machine must be the judge
    for ((pair = 0; pair < pairs; pair++)); do
        measure ours "$input" "$build/p5scope" stat -x ';' -o "$work/report" $command
        measure theirs "$input" valgrind --tool=cachegrind --cache-sim=yes --branch-sim=yes --cachegrind-out-file=/dev/null $command
        measure bare "$input" "$bare" $command
    done
    ratios ours theirs >"$work/ratio.runs"
    ratios bare ours >"$work/model.runs"
    awk -v name="$name" -v n="$(value instructions_executed)" -v c="$(value clocks)" -v ours="$(median "$work/ours.runs" 1)" \
        -v theirs="$(median "$work/theirs.runs" 1)" -v bare="$(median "$work/bare.runs" 1)" -v ratio="$(median "$work/ratio.runs" 1)" \
        -v low="$(head -1 "$work/ratio.runs")" -v high="$(tail -1 "$work/ratio.runs")" -v model="$(median "$work/model.runs" 1)" \
        -v peak="$(median "$work/ours.runs" 2)" 'BEGIN {
            printf "%s|%.0f|%.0f|%.0f|%.0f|%.0f|%.2f|%.2f to %.2f|%.0f|%.2f|%.0f\n", name, n / 1e6, c / 1e6, n / ours / 1e6, c / ours / 1e6,
                n / theirs / 1e6, ratio, low, high, n / bare / 1e6, model, peak }' | tee -a "$work/table" |
        while IFS='|' read -r -a row; do printf "$columns" "${row[@]}" >&2; done
done <"$work/list"
awk -F '|' '{ mips += log($4); clocks += log($5); theirs += log($6); ratio += log($7); bare += log($9); model += log($10) }
    END { printf "geometric mean|||%.0f|%.0f|%.0f|%.2f||%.0f|%.2f|\n", exp(mips / NR), exp(clocks / NR), exp(theirs / NR), exp(ratio / NR),
        exp(bare / NR), exp(model / NR) }' "$work/table" | tee -a "$work/table" |
    while IFS='|' read -r -a row; do row[0]=mean; printf "$columns" "${row[@]}" >&2; done

# Start-up: hello, twenty times.
starts=20
TIMEFORMAT='%R %U %S'
{ time for ((i = 0; i < starts; i++)); do "$build/p5scope" stat -o /dev/null "$build/testprogs/hello" >/dev/null; done; } 2>"$work/start"
startup=$(awk -v n=$starts '{ printf "Start-up (`p5scope stat hello`, mean of %d): %.0f ms, of which %.0f ms CPU time.", n, $1 / n * 1000, ($2 + $3) / n * 1000 }' \
    "$work/start")
echo "$startup" >&2

[ -n "$write" ] || exit 0
page=$root/docs/performance.md
{
    echo "Measured $(date -u +%F) at $(git -C "$root" describe --always --dirty), $(sed -n 's/^model name[^:]*: //p;' /proc/cpuinfo | head -1)," \
        "$(nproc) cores, load $(cut -d ' ' -f 1 /proc/loadavg), $(valgrind --version), $pairs pairs."
    echo
    echo '| program | million instructions | million clocks | p5scope MIPS | million clocks a second | cachegrind MIPS | ratio | lowest and highest | bare engine MIPS | time against bare | peak MB |'
    echo '|---|--:|--:|--:|--:|--:|--:|---|--:|--:|--:|'
    sed 's/|/ | /g; s/^/| /; s/$/ |/' "$work/table"
    echo
    echo "$startup"
} >"$work/new"
awk -v new="$work/new" '
    /<!-- table -->/ { print; while ((getline line < new) > 0) print line; skipping = 1; next }
    /<!-- end -->/ { skipping = 0 }
    !skipping' "$page" >"$work/page"
cp "$work/page" "$page"
echo "wrote $page" >&2
