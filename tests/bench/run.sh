#!/usr/bin/env bash
# run.sh BUILD [programs | others] [PAIRS] [--write]: runs the kernels of testprogs/bench, and minigzip and Lua if ./dev guests has built them,
# or the real programs that tests/guest/real/programs.sh has built, in turn under `p5scope stat` (all events), under cachegrind with caches
# and branches, and on the engine without a model (bare.c), PAIRS times (default 5), and prints medians; for the kernels the start-up time,
# too. Times are what the user waits for, of the whole process, start-up included; the last ratio is that of CPU times. --write puts the
# table into docs/performance.md.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
table=table
case ${2-} in programs | others)
    table=$2
    set -- "$1" "${@:3}"
    ;;
esac
arguments PAIRS 5 "$@"
pairs=$number
bare=$build/tests/bench/bare
[ -x /usr/bin/time ] || { echo "run.sh needs GNU time" >&2; exit 2; }

# copies N FILE: so many of it, one after the other
copies() {
    local n
    for ((n = 0; n < $1; n++)); do cat "$2"; done
}

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
    copies 8 "$guests/text" >"$work/text"
    echo "minigzip|$work/text|$guests/minigzip"
    echo "lua|$here/work.lua|$guests/lua -"
}

have_programs() { [ -f "$1/stamp" ] || { echo "the programs are not there: tests/guest/real/programs.sh builds them" >&2; exit 2; }; }

# 15 to 300 million instructions each; all of them read what they work on from standard input.
list_programs() {
    local p=$guests/programs
    have_programs "$p"
    echo "bzip2|$p/in/text|$p/bzip2 -c"
    echo "tcc|$p/in/tcc.c|$p/tcc -c -o $work/none/tcc.o -" # compiles all, and then cannot write it: the folder is not there
    echo "sqlite3|$p/in/work.sql|$p/sqlite3"
    echo "lame|$p/in/tone.wav|$p/lame --quiet --flush -b 64 -m m - -"
    echo "mujs|$p/in/work.js|$p/mujs"
    echo "ash|$p/in/ash.sh|$p/busybox ash"
    echo "awk|$p/in/work.awk|$p/busybox awk -f -"
    echo "sort|$p/in/text|$p/busybox sort -k 3"
    echo "gzip|$p/in/text|$p/busybox gzip -c"
    echo "sha1|/dev/null|$p/digests 60 sha1"
    echo "digests|/dev/null|$p/digests 1"
    copies 8 "$p/in/tone.mp3" >"$work/tones.mp3"
    echo "mpg123|$work/tones.mp3|$p/mpg123 -q -s -"
    echo "bc|$p/in/work.bc|$p/bc -lq"
    echo "jpeg|$p/in/picture.ppm|$p/jpeg"
    echo "djpeg|$p/in/picture.jpeg|$p/djpeg"
}

# Those that were not looked at while p5scope was made fast.
list_others() {
    local p=$guests/programs text=$guests/text
    have_programs "$p"
    copies 16 "$text" >"$work/text"
    copies 4 "$text" >"$work/text4"
    copies 24 "$p/in/text.lz4" >"$work/text.lz4"
    copies 8 "$p/in/text.zstd" >"$work/text.zstd"
    copies 8 "$p/in/text.xz" >"$work/text.xz"
    echo "lz4|$work/text|$p/lz4 -q -c -"
    echo "unlz4|$work/text.lz4|$p/lz4 -q -d -c -"
    echo "zstd|$work/text4|$p/zstd -q -c"
    echo "unzstd|$work/text.zstd|$p/zstd -q -d -c"
    echo "xz|$text|$p/xz -c -3"
    echo "unxz|$work/text.xz|$p/xz -d -c"
    echo "m4|$p/in/work.m4|$p/m4"
}

# measure WHO INPUT COMMAND...: runs it; its output goes to $work/WHO; seconds, peak memory in MB and CPU seconds to $work/WHO.runs.
# Its status is that of the native run, but the bare engine does not tell it.
measure() {
    local who=$1 input=$2 came=0
    shift 2
    /usr/bin/time -q -o "$work/time" -f '%e %U %S %M' "$@" <"$input" >"$work/$who" 2>"$work/log" || came=$?
    [ "$who" = bare ] || [ $came = $status ] || { cat "$work/log" >&2; echo "status $came, natively $status: $*" >&2; exit 1; }
    cmp -s "$work/$who" "$work/native" || { [ "$who" = theirs ] || { echo "$name: different output of $who" >&2; exit 1; }; }
    awk '{ print ($1 > 0 ? $1 : 0.01), $4 / 1024, ($2 + $3 > 0 ? $2 + $3 : 0.01) }' "$work/time" >>"$work/$who.runs"
}

# value NAME: a row of the CSV report
value() { awk -F ';' -v name="$1" '$3 == name { print $1; exit }' "$work/report"; }

# column FILE COLUMN: its median
column() { awk -v c="$2" '{ print $c }' "$work/$1.runs" | median; }

# ratios A B COLUMN: pair by pair, sorted
ratios() { paste "$work/$1.runs" "$work/$2.runs" | awk -v c="$3" '{ printf "%.2f\n", $(3 + c) / $c }' | sort -n; }

echo "$pairs pairs; ratio = cachegrind's time / ours, model = our time / bare engine's, CPU = ratio of CPU times" >&2
columns='%-10s %6s %8s %6s %6s %11s %6s  %-13s %6s %6s %6s %8s\n'
# shellcheck disable=SC2059
printf "$columns" program Minsn Mclocks MIPS Mclk/s cachegrind ratio 'low to high' bare model CPU 'peak MB' >&2
: >"$work/table"
case $table in table) list ;; *) list_$table ;; esac >"$work/list"
while IFS='|' read -r name input command; do
    rm -f "$work"/*.runs
    status=0
    $command <"$input" >"$work/native" 2>"$work/log" || status=$? # cachegrind computes x87 in double precision, so that this machine must be the judge
    for ((pair = 0; pair < pairs; pair++)); do
        measure ours "$input" "$build/p5scope" stat -x ';' -o "$work/report" $command
        measure theirs "$input" valgrind --tool=cachegrind --cache-sim=yes --branch-sim=yes --cachegrind-out-file=/dev/null $command
        measure bare "$input" "$bare" $command
    done
    ratios ours theirs 1 >"$work/ratio.runs"
    ratios ours theirs 3 >"$work/cpu.runs"
    ratios bare ours 1 >"$work/model.runs"
    awk -v name="$name" -v n="$(value instructions_executed)" -v c="$(value clocks)" -v ours="$(column ours 1)" \
        -v theirs="$(column theirs 1)" -v bare="$(column bare 1)" -v ratio="$(column ratio 1)" \
        -v low="$(head -1 "$work/ratio.runs")" -v high="$(tail -1 "$work/ratio.runs")" -v model="$(column model 1)" \
        -v cpu="$(column cpu 1)" -v peak="$(column ours 2)" 'BEGIN {
            printf "%s|%.0f|%.0f|%.0f|%.0f|%.0f|%.2f|%.2f-%.2f|%.0f|%.2f|%.2f|%.0f\n", name, n / 1e6, c / 1e6, n / ours / 1e6, c / ours / 1e6,
                n / theirs / 1e6, ratio, low, high, n / bare / 1e6, model, cpu, peak }' | tee -a "$work/table" |
        while IFS='|' read -r -a row; do printf "$columns" "${row[@]}" >&2; done
done <"$work/list"
# mean LABEL SHORT [WITHOUT] - of all programs but those whose names fit
mean() {
    awk -F '|' -v label="$1" -v without="${3:-^$}" '$1 !~ without {
            n++; mips += log($4); clocks += log($5); theirs += log($6); ratio += log($7); bare += log($9); model += log($10); cpu += log($11) }
        END { printf "%s|||%.0f|%.0f|%.0f|%.2f||%.0f|%.2f|%.2f|\n", label, exp(mips / n), exp(clocks / n), exp(theirs / n), exp(ratio / n),
            exp(bare / n), exp(model / n), exp(cpu / n) }' "$work/programs" | tee -a "$work/table" |
        while IFS='|' read -r -a row; do row[0]=$2; printf "$columns" "${row[@]}" >&2; done
}
cp "$work/table" "$work/programs"
[ $table != table ] || mean 'geometric mean of the kernels' kernels '^(minigzip|lua)$'
mean 'geometric mean of all' all

# Start-up: hello, twenty times.
startup=
if [ $table = table ]; then
    starts=20
    TIMEFORMAT='%R %U %S'
    { time for ((i = 0; i < starts; i++)); do "$build/p5scope" stat -o /dev/null "$build/testprogs/hello" >/dev/null; done; } 2>"$work/start"
    startup=$(awk -v n=$starts '{ printf "\nStart-up (`p5scope stat hello`, mean of %d): %.0f ms, of which %.0f ms CPU time.", n, $1 / n * 1000,
        ($2 + $3) / n * 1000 }' "$work/start")
    echo "$startup" >&2
fi

[ -n "$write" ] || exit 0
{
    echo "Measured $(today), $(machine), $(valgrind --version), $pairs pairs."
    echo
    if [ $table = others ]; then # a sentence: ratios, and those of CPU times
        awk -F '|' '{ printf "%s%s %s (%s)", between, $1, $7, $11; between = ", " } END { print "." }' "$work/table"
    else
        echo '| program | million instructions | million clocks | p5scope MIPS | million clocks a second | cachegrind MIPS | ratio | lowest and highest | bare engine MIPS | time against bare | ratio of CPU times | peak MB |'
        echo '|---|--:|--:|--:|--:|--:|--:|---|--:|--:|--:|--:|'
        rows "$work/table"
        [ -z "$startup" ] || echo "$startup"
    fi
} | write_page $table
