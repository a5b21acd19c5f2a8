#!/usr/bin/env bash
# run.sh BUILD [PAIRS] [--write]: runs the kernels of testprogs/bench (and minigzip and Lua, if ./dev guests has built them) in turn under `p5scope
# stat` and under cachegrind with caches and branches, PAIRS times (default 5), and prints medians. The time is the CPU time of the whole
# process, start-up included, so that other work on the machine disturbs little. --write puts the table into docs/performance.md.
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
    [ -f "$guests/stamp" ] || return 0
    for _ in 1 2 3 4 5 6 7 8; do cat "$guests/text"; done >"$work/text"
    echo "minigzip|$work/text|$guests/minigzip"
    echo "lua|$here/work.lua|$guests/lua -"
}

# seconds INPUT OUTPUT COMMAND...: runs it; CPU seconds, user and system, to $work/seconds.
seconds() {
    local input=$1 output=$2 TIMEFORMAT='%U %S'
    shift 2
    { time "$@" <"$input" >"$output" 2>"$work/log"; } 2>"$work/time" || { cat "$work/log" >&2; echo "failed: $*" >&2; exit 1; }
    awk '{ print $1 + $2 }' "$work/time"
}

# value NAME: a row of the CSV report
value() { awk -F ';' -v name="$1" '$3 == name { print $1; exit }' "$work/report"; }

median() { sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

printf '%-10s %6s %7s %9s %9s %11s %8s  %s\n' program Minsn Mclocks 'MIPS' 'Mclocks/s' cachegrind ratio 'ratio of each pair' >&2
: >"$work/table"
list >"$work/list"
while IFS='|' read -r name input command; do
    rm -f "$work"/*.runs
    $command <"$input" >"$work/native" # cachegrind computes x87 in double precision, so that this machine must be the judge
    for ((pair = 0; pair < pairs; pair++)); do
        ours=$(seconds "$input" "$work/ours" "$build/p5scope" stat -x ';' -o "$work/report" $command)
        theirs=$(seconds "$input" "$work/theirs" valgrind --tool=cachegrind --cache-sim=yes --branch-sim=yes \
            --cachegrind-out-file=/dev/null $command)
        cmp -s "$work/ours" "$work/native" || { echo "$name: different output" >&2; exit 1; }
        echo "$ours" >>"$work/ours.runs"
        echo "$theirs" >>"$work/theirs.runs"
        awk -v a="$ours" -v b="$theirs" 'BEGIN { printf "%.2f\n", b / a }' >>"$work/ratio.runs"
    done
    instructions=$(value instructions_executed) clocks=$(value clocks)
    awk -v name="$name" -v n="$instructions" -v c="$clocks" -v a="$(median <"$work/ours.runs")" -v b="$(median <"$work/theirs.runs")" \
        -v ratio="$(median <"$work/ratio.runs")" -v all="$(sort -n "$work/ratio.runs" | tr '\n' ' ')" '
        BEGIN { printf "%s %.0f %.0f %.0f %.0f %.0f %.2f %s\n", name, n / 1e6, c / 1e6, n / a / 1e6, c / a / 1e6, n / b / 1e6, ratio, all }' |
        tee -a "$work/table" | awk '{
            printf "%-10s %6s %7s %9s %9s %11s %8s ", $1, $2, $3, $4, $5, $6, $7
            for (i = 8; i <= NF; i++) printf " %s", $i
            print "" }' >&2
done <"$work/list"

[ -n "$write" ] || exit 0
page=$root/docs/performance.md
{
    echo "Measured $(date -u +%F) at $(git -C "$root" describe --always --dirty), $(sed -n 's/^model name[^:]*: //p;' /proc/cpuinfo | head -1)," \
        "$(valgrind --version), $pairs pairs."
    echo
    echo '| program | million instructions | million clocks | p5scope MIPS | million clocks a second | cachegrind MIPS | ratio | lowest and highest |'
    echo '|---|--:|--:|--:|--:|--:|--:|---|'
    awk '{ printf "| %s | %s | %s | %s | %s | %s | %s | %s to %s |\n", $1, $2, $3, $4, $5, $6, $7, $8, $NF }' "$work/table"
} >"$work/new"
awk -v new="$work/new" '
    /<!-- table -->/ { print; while ((getline line < new) > 0) print line; skipping = 1; next }
    /<!-- end -->/ { skipping = 0 }
    !skipping' "$page" >"$work/page"
cp "$work/page" "$page"
echo "wrote $page" >&2
