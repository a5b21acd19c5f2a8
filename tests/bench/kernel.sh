#!/usr/bin/env bash
# kernel.sh BUILD GUESTS [RUNS] [--write]: how fast Linux and what runs under it is as a guest, medians of RUNS (default 3): boots, and what a shell's script does beyond
# the boot of the same kernel; --write puts the table into docs/performance.md.
# shellcheck source-path=SCRIPTDIR source=common.sh
linux=$(realpath "$2")/linux
set -- "$1" "${@:3}"
. "$(dirname "$0")/common.sh"
arguments RUNS 3 "$@"
cd "$work"
# measure OPTION...: "instructions CPU-seconds peak-MB" of one run
measure() {
    local status=0
    /usr/bin/time -q -o times -f '%U %S %M' "$build/p5scope" stat -q -x ';' -o report --rtc 1997-06-02 --append 'console=ttyS0,115200 quiet' "$@" \
        >out 2>log </dev/null || status=$?
    [ "$status" = 9 ] || { cat out log >&2; echo "failed: $*" >&2; exit 1; }
    awk -F ';' '$3 == "instructions_executed" { printf "%s ", $1; exit }' report
    awk '{ print $1 + $2, $3 / 1024 }' times
}
# script TEXT: what `measure` says of the kernel with a shell that executes TEXT
script() {
    mkdir -p files
    echo "$1; exit 9" >files/script
    measure --kernel "$linux/bzImage" --init "$linux/busybox" --dir "$work/files:/c" sh script
}
# row WHAT FILE FILE: a row of the table, of the runs in the second file beyond those of the first
row() {
    paste -d ' ' "$2" "$3" | awk '{ print ($4 - $1) / ($5 - $2) / 1e6, $4 - $1, $5 - $2, $6 }' >rows
    printf '| %s | %.0f | %.1f | %.0f | %.0f |\n' "$1" "$(awk '{ print $2 / 1e6; exit }' rows)" "$(awk '{ print $3 }' rows | median)" \
        "$(awk '{ print $1 }' rows | median)" "$(awk '{ print $4; exit }' rows)" | tee -a table
}
{
    echo '| what runs | million instructions | CPU seconds | MIPS by CPU time | peak MB |'
    echo '|---|--:|--:|--:|--:|'
} | tee table
names=("vmlinux until its init ends" "bzImage, which unpacks itself, until its shell ends" "\`seq 1 20000 \\| sort -r \\| wc -l\`" "a loop of the shell" "\`busybox seq 1\` 150 times: a process each")
for ((run = 0; run < number; run++)); do
    measure --kernel "$linux/vmlinux" --init "$linux/pipes" >>part0
    script true >>part1
    script 'seq 1 20000 | sort -r | wc -l' >>part2
    script 'i=0; while [ $i -lt 10000 ]; do i=$((i+1)); done' >>part3
    script 'i=0; while [ $i -lt 150 ]; do busybox seq 1; i=$((i+1)); done' >>part4
    echo '0 0 0' >>nothing
done
for part in 0 1 2 3 4; do
    row "${names[part]}" "$([ $part -lt 2 ] && echo nothing || echo part1)" part$part
done
[ -z "$write" ] || {
    echo "Measured $(today), $(machine), medians of $number runs."
    echo
    cat table
} | write_page kernel
