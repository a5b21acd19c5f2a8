#!/usr/bin/env bash
# outputs.sh BUILD [PAIRS] [--write]: what each output costs on the kernels of testprogs/bench: time of the whole process, as the user waits for it, over that of `stat` on
# the same kernel, each output and `stat` in turn, PAIRS times (default 3). Prints medians of the ratios as percent more; --write puts the table into
# docs/performance.md.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
arguments PAIRS 3 "$@"
pairs=$number
cd "$work"
p5scope=$build/p5scope

# About 100 million instructions each: long enough that start and end of the process are small beside the run.
kernels=("alu 100" "walk16k 12000" "walk1m 170" "sieve 80" "quicksort 80" "x87 13000" "mmx 30000")

# name|what is run before the guest; {} is a file. One row every 100000 clocks where there are rows.
outputs=(
    "profile|record -q -o {}.data"
    "stat -I|stat -q -I 100000c -o {}.txt"
    "csv|trace -q -I 100000c -o {}.csv"
    "csv.zst|trace -q -I 100000c -o {}.csv.zst"
    "jsonl|trace -q -I 100000c -o {}.jsonl"
    "sqlite|trace -q -I 100000c -o {}.db"
    "chrome|trace -q -I 100000c -o {}.json"
    "vcd|trace -q -I 100000c -o {}.vcd"
    "kanata, 100000 clocks|trace -q --from 1000000c --to 1100000c -o {}.kanata"
)

TIMEFORMAT='%R'
seconds() {
    { time "$@" >out 2>log; } 2>times || { cat log >&2; echo "failed: $*" >&2; exit 1; }
    cat times
}

{
    printf '| kernel | stat, s |'
    printf ' %s |' "${outputs[@]%%|*}"
    printf '\n|---|--:|'
    for _ in "${outputs[@]}"; do printf -- '--:|'; done
    echo
} | tee table
for kernel in "${kernels[@]}"; do
    read -r name rounds <<<"$kernel"
    : >plain
    row=
    for output in "${outputs[@]}"; do
        : >ratios
        for _ in $(seq "$pairs"); do
            a=$(seconds "$p5scope" stat -q -o report "$build/testprogs/$name" "$rounds")
            options=${output#*|}
            # shellcheck disable=SC2086
            b=$(seconds "$p5scope" ${options//\{\}/made} "$build/testprogs/$name" "$rounds")
            rm -f made.*
            echo "$a" >>plain
            awk -v a="$a" -v b="$b" 'BEGIN { print 100 * (b / a - 1) }' >>ratios
        done
        row="$row $(printf '%.0f %%' "$(median <ratios)") |"
    done
    printf '| %s | %.2f |%s\n' "$kernel" "$(median <plain)" "$row" | tee -a table
done

[ -n "$write" ] || exit 0
{
    echo "Measured $(today), $(machine), $pairs pairs."
    echo
    cat table
} | write_page outputs
