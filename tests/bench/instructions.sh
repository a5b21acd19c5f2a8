#!/bin/sh
# instructions.sh P5SCOPE MILLIONS GUEST [ARG...]: host instructions that p5scope needs for the first MILLIONS of a guest's instructions, in one thread, by valgrind's
# count: it does not depend on what else the host does. The ten functions with most of them follow. The guest reads standard input.
set -e
[ $# -ge 3 ] || { sed -n '2,3s/^# //p' "$0" >&2; exit 2; }
p5scope=$1 millions=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
valgrind -q --tool=callgrind --callgrind-out-file="$work/out" "$p5scope" stat -q -e instructions_executed -x ';' -o "$work/report" --no-sandbox --threads=1 \
    --max-instructions="${millions}000000" "$@" >/dev/null 2>"$work/log" || [ -s "$work/out" ] || { cat "$work/log" >&2; exit 1; }
awk -F ';' 'FNR == NR { if ($3 == "instructions_executed") guest = $1; next }
    /^(totals|summary):/ { sub(/^[a-z]*: /, ""); printf "%.1f million guest instructions, %.1f million host instructions, %.1f for each\n", guest / 1e6, $1 / 1e6, $1 / guest; exit }' \
    "$work/report" "$work/out"
callgrind_annotate "$work/out" | grep -E '^ *[0-9,]+ \(' | sed -n '2,11p'
