#!/bin/sh
# stride.sh P5SCOPE PROGRAM GEOMETRY: hits and misses of testprogs/stride are those of the caches' geometry. On a P55C the guest counts itself by
# RDPMC; on a P54C, which has none at CPL 3, what further rounds of a walk add is counted from outside. 1 MB reaches
# beyond the addresses that the board keeps out of the caches (A0000h), where no guest page may lie.
set -eu
p5scope=$1 program=$2 geometry=$3
status=0
"$p5scope" run -q --model p55c-200 --pce --ctr0=data_read:u --ctr1=data_read_miss:u "$program" hits 4 16 20 1024 |
    "$geometry" 4 table 4 16 20 1024 || status=1

count() { # MODEL KB STRIDE ROUNDS: reads and misses at CPL 3
    "$p5scope" stat -x, -e data_read:u,data_read_miss:u --model "$1" --log-fd 3 "$program" walk "$2" "$3" "$4" 3>&1 >/dev/null |
        sed -n 's/^\([0-9]*\),.*data_read.*/\1/p' | tr '\n' ' '
}
for line in "p54c-133 2" "p55c-200 4"; do
    set -- $line
    model=$1 ways=$2
    for cell in "4 4" "8 1" "8 32" "12 64" "16 16" "16 256" "512 8" "512 1024"; do
        set -- $cell
        few=$(count "$model" "$1" "$2" 2) many=$(count "$model" "$1" "$2" 5)
        set -- $cell $few $many $("$geometry" "$ways" cell "$1" "$2" 2) $("$geometry" "$ways" cell "$1" "$2" 5)
        [ $# = 10 ] || { echo "no figures: $*"; exit 1; }
        misses=$(($6 - $4)) hits=$(($5 - $3 - ($6 - $4)))
        if [ $misses != $((${10} - $8)) ] || [ $hits != $(($9 - $7)) ]; then
            echo "$model, $1 KB, stride $2: three more rounds: $hits hits, $misses misses; expected $(($9 - $7)) and $((${10} - $8))"
            status=1
        fi
    done
done
exit $status
