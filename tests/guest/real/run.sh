#!/bin/sh
# run.sh P5SCOPE DIR [CASE]: runs the guests that build.sh put into DIR under `p5scope stat` and on this machine, and compares what they
# write, and what is counted in one thread and in two. Without CASE: all. Exit status 77 (skipped) if the guests have not been built, unless P5_REQUIRE_GUESTS is set.
set -u
cases="compress decompress fib strings sort floats"
if [ $# -lt 2 ]; then
    echo "usage: run.sh P5SCOPE DIR [$cases]" >&2
    exit 2
fi
p5scope=$1 dir=$2
if [ ! -f "$dir/stamp" ]; then
    echo "no guests in $dir: ./dev guests builds them"
    [ -n "${P5_REQUIRE_GUESTS:-}" ] && exit 1
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# counts REPORT: without what differs from run to run
counts() { grep -v ' options: \| on the host' "$1"; }

# same NAME INPUT COMMAND...: the command's output for INPUT is the same on both.
same() {
    name=$1 input=$2
    shift 2
    "$@" <"$input" >"$work/expected"
    status=$?
    if [ $status = 126 ]; then
        echo "skipped: this machine does not run i386 programs"
        exit 77
    fi
    if [ $status != 0 ]; then
        echo "FAIL $name: not even this machine runs $*"
        return 1
    fi
    "$p5scope" stat --threads 2 -o "$work/report" "$@" <"$input" >"$work/came"
    status=$?
    if [ $status != 0 ]; then
        echo "FAIL $name: expected status 0, came $status: p5scope stat $* <$input"
        return 1
    fi
    if ! cmp "$work/expected" "$work/came"; then
        echo "FAIL $name: the output differs: p5scope stat $* <$input"
        diff -a "$work/expected" "$work/came" | head -10
        return 1
    fi
    "$p5scope" stat --threads 1 -o "$work/alone" "$@" <"$input" >/dev/null
    counts "$work/report" >"$work/counts"
    if ! counts "$work/alone" | diff "$work/counts" - >"$work/difference"; then
        echo "FAIL $name: other counts in one thread than in two"
        head -10 "$work/difference"
        return 1
    fi
    printf 'ok %-11s %s bytes as on this machine\n' "$name" "$(wc -c <"$work/came")"
    cat "$work/report"
}

run_case() {
    case $1 in
    compress) same "$1" "$dir/text" "$dir/minigzip" ;;
    decompress)
        gzip -n <"$dir/text" >"$work/text.gz"
        same "$1" "$work/text.gz" "$dir/minigzip" -d
        ;;
    fib | strings | sort | floats) same "$1" "$dir/scripts/$1.lua" "$dir/lua" - ;;
    *)
        echo "no case $1; there are: $cases" >&2
        return 2
        ;;
    esac
}

failed=0
for name in ${3:-$cases}; do
    run_case "$name" || failed=1
done
exit $failed
