#!/bin/bash
# everywhere.sh TESTPROGS GUESTS REPEATS P5SCOPE...: ten programs count the same bits in each of the builds, with one and two threads, in other
# folders, environments, locales and time zones, at other times of the host, REPEATS times each in turn. What differs is said.
set -u
programs=$1 guests=$2 repeats=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/a" "$work/another folder/with a rather long name/below it"
folders=("$work/a" "$work/another folder/with a rather long name/below it" /)
locales=(C C.UTF-8 de_DE.UTF-8 POSIX)
zones=(UTC Pacific/Auckland America/Los_Angeles)
times=('1999-12-31 23:59:58' '2038-01-19 03:14:06' '2026-02-28 12:00:00')
command -v faketime >/dev/null || echo "no faketime: the host's time is as it is"

ask() { # NUMBER BUILD PROGRAM [ARGUMENT...]: the report without what is the host's, of a run in the circumstances of that number
    local i=$1 build=$2 time=()
    shift 2
    command -v faketime >/dev/null && [ $((i % 2)) = 1 ] && time=(faketime "${times[$((i / 2 % 3))]}")
    (
        cd "${folders[$((i % 3))]}" || exit 1
        # faketime's library comes before the address sanitizer's, which does not want that
        env ASAN_OPTIONS=verify_asan_link_order=0 LC_ALL="${locales[$((i % 4))]}" TZ="${zones[$((i % 3))]}" P5_NOISE="$(head -c $((i * 37 + 1)) /dev/zero | tr '\0' x)" \
            "${time[@]}" "$build" stat -j --threads $((i % 2 + 1)) -o "$work/report" "$@" >"$work/out" 2>/dev/null <"$input"
        echo "status $?"
    ) >"$work/status"
    sed -e 's/"options":"[^"]*"//' -e 's/"version":"[^"]*"//' -e 's/,"host":.*//' "$work/report" | cat - "$work/out" "$work/status" | sha256sum
}

wrong=0 runs=0
check() { # PROGRAM [ARGUMENT...]
    local first='' now build
    for build in "${builds[@]}"; do
        for ((i = 0; i < repeats; i++)); do
            now=$(ask $i "$build" "$@")
            runs=$((runs + 1))
            first=${first:-$now}
            [ "$now" = "$first" ] || { echo "FAIL: $build, circumstances $i: $* counts otherwise"; wrong=1; }
        done
    done
}
builds=("$@")
input=/dev/null
for line in hello "alu 1" "walk16k 5" "sieve 1" "quicksort 1" "x87 20" "mmx 50" "selfmod 200"; do
    # shellcheck disable=SC2086
    check "$programs"/$line
done
if [ -f "$guests/stamp" ]; then
    input=$guests/scripts/floats.lua check "$guests/lua" -
    head -c 20000 "$guests/text" >"$work/text"
    input=$work/text check "$guests/minigzip"
else
    echo "minigzip and Lua are not built: skipped"
fi
echo "$runs runs"
exit $wrong
