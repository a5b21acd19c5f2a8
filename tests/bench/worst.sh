#!/usr/bin/env bash
# worst.sh BUILD [RUNS] [--write]: how fast p5scope is on code that it finds hard (worst.py), by the user's wait and by CPU time, medians of RUNS (default 3), beside
# Unicorn with nothing of p5scope, by CPU time, and the processor itself, by the clocks that were counted; --write puts the table into docs/performance.md.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
arguments RUNS 3 "$@"
cd "$work"
TIMEFORMAT='%R %U %S'
{
    echo '| code | what it is | million instructions | MIPS | MIPS by CPU time | peak MB | Unicorn alone | the processor at 200 MHz |'
    echo '|---|---|--:|--:|--:|--:|--:|--:|'
} | tee table
for kind in $("$here/worst.py"); do
    "$here/worst.py" "$kind" >guest.asm
    nasm -I "$root/testprogs/bare/" -f bin -o guest.bin guest.asm
    address=$(awk 'NR == 1 { print $2 }' guest.asm)
    : >waits
    : >cpus
    : >alone
    for ((run = 0; run < number; run++)); do
        /usr/bin/time -q -o times -f '%e %U %S %M' "$build/p5scope" stat -q -x ';' -o report "--flat=$address" guest.bin >out 2>log ||
            [ $? = 1 ] || { cat log >&2; echo "failed: $kind" >&2; exit 1; } # its own status, as port F4h makes it of 0
        awk '{ print $1 + .001 }' times >>waits
        awk '{ print $2 + $3 + .001 }' times >>cpus
        peak=$(awk '{ print $4 / 1024 }' times)
        if /usr/bin/time -q -o times -f '%U %S' "$build/tests/bench/alone" guest.bin "$address"; then
            awk '{ print $1 + $2 + .001 }' times >>alone
        fi
    done
    awk -F ';' -v kind="$kind" -v wait="$(median <waits)" -v cpu="$(median <cpus)" -v peak="$peak" \
        -v alone="$(median <alone)" \
        -v what="$(sed -n "/^def $kind(/,/\"\"\"/s/ *\"\"\"\(.*\)\.\"\"\"/\1/p" "$here/worst.py")" \
        '$3 == "clocks" { clocks = $1 }
         $3 == "instructions_executed" {
            printf "| %s | %s | %.1f | %.1f | %.1f | %.0f | %s | %.1f |\n", kind, what, $1 / 1e6, $1 / wait / 1e6, $1 / cpu / 1e6, peak,
                alone ? sprintf("%.1f", $1 / alone / 1e6) : "-", 200 * $1 / clocks
            exit }' \
        report | tee -a table
done
[ -z "$write" ] || {
    echo "Measured $(today), $(machine), medians of $number runs."
    echo
    cat table
} | write_page worst
