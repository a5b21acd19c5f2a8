#!/usr/bin/env bash
# completion.sh PROGRAM COMPLETION: what bash offers after the beginning of a command line.
set -u
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
ln -s "$1" "$scratch/p5scope"
PATH=$scratch:$PATH
. "$2"
cd "$scratch" || exit 1
touch profile.data

compopt() { :; } # it is for a completion that is under way
status=0
# offers WORDS... -- OFFER...: after WORDS, the last of which is being written, just these are offered. `OFFER...`: these among others.
offers() {
    COMP_WORDS=()
    while [ "$1" != -- ]; do COMP_WORDS+=("$1"); shift; done
    shift
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _p5scope
    local some=no want
    [ "${!#}" = ... ] && some=yes && set -- "${@:1:$#-1}"
    for want in "$@"; do
        [[ " ${COMPREPLY[*]} " == *" $want "* ]] || { echo "FAIL: ${COMP_WORDS[*]}: no '$want' in: ${COMPREPLY[*]}"; status=1; }
    done
    [ $some = yes ] || [ ${#COMPREPLY[@]} = $# ] || { echo "FAIL: ${COMP_WORDS[*]}: came: ${COMPREPLY[*]}"; status=1; }
}

offers p5scope st -- stat
offers p5scope "" -- run stat top trace merge check bench record report annotate diff screen list explain msr --help --version
offers p5scope stat --fast -- --fast-forward
offers p5scope stat -e data_read_ -- data_read_miss data_read_or_write data_read_miss_or_write_miss
offers p5scope stat -e '{clocks,flo' -- '{clocks,flops' '{clocks,floating_point_stalls_duration'
offers p5scope report --fold btb_h -- btb_hits
offers p5scope record --period clo -- clocks
offers p5scope run --ctr0 = flo -- flops floating_point_stalls_duration
offers p5scope run --isa = -- exact permissive
offers p5scope run --isa p -- permissive
offers p5scope stat -M cache,t -- cache,tlb
offers p5scope annotate -M "" -- intel att
offers p5scope annotate --syntax "" -- intel att
offers p5scope stat --model p54c-1 -- p54c-100 p54c-133 p54c-166 ...
offers p5scope trace --format "" -- csv jsonl sqlite vcd chrome kanata svg html
offers p5scope report -s "" -- symbol line address file mode
offers p5scope msr ce -- cesr
offers p5scope list m -- metrics models
offers p5scope report prof -- profile.data
exit $status
