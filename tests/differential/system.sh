#!/usr/bin/env bash
# Boots the diskette of system.c under p5scope, Bochs and, if it is to be asked, QEMU, in pieces, and compares the records that they leave in
# memory. Where QEMU alone differs or ends, a test is run once more by itself: QEMU lets the tests before it write beyond segments, to what
# no test puts back.
#   system.sh P5SCOPE COMPARE IMAGE FIRST COUNT [qemu|breakpoints|bochs [JOBS]]
# Breakpoints are not for QEMU, which they end (7.2: SIGSEGV). P5SCOPE_DIFFERENTIAL_PRICED=N: p5scope's model prices one piece in N (1);
# the others are only executed.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=parallel.sh
. "$(dirname "$0")/parallel.sh"
p5scope=$1 compare=$2 image=$3 first=$4 count=$5 third=${6:-} jobs=${7:-1} priced=${P5SCOPE_DIFFERENTIAL_PRICED:-1}
command -v bochs >/dev/null && [ -d /usr/share/bochs ] || { echo "bochs is not installed: skipped"; exit 77; }
breakpoints=0
[ "$third" != breakpoints ] || { breakpoints=1; third=; }
[ "$third" != bochs ] || third=
[ -z "$third" ] || command -v qemu-system-i386 >/dev/null || { echo "qemu-system-i386 is not installed: Bochs only"; third=; }
debugger= # which takes the commands; Bochs 3 has it only if asked
[[ $(bochs --help </dev/null 2>&1) != *" -debugger "* ]] || debugger=-debugger
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here"
cat >bochsrc <<END
display_library: rfb, options="timeout=0"
romimage: file=/usr/share/bochs/BIOS-bochs-legacy
vgaromimage: file=/usr/share/vgabios/vgabios.bin
megs: 16
cpu: model=pentium_mmx, count=1, ips=4000000, reset_on_triple_fault=0
floppya: 1_44="system.img", status=inserted
boot: floppy
port_e9_hack: enabled=1
magic_break: enabled=1
log: bochs.log
panic: action=fatal, pic=report
error: action=ignore
info: action=ignore
sound: waveoutdrv=dummy
speaker: enabled=0
clock: sync=none
END

u32() { # as bytes
    printf '%b' "$(printf '\\x%02x\\x%02x\\x%02x\\x%02x' $(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16 & 255)) $(($1 >> 24)))"
}
parameters() { # first, count, whether records go to port E9h: where system_boot.asm has them
    { u32 "$1"; u32 "$2"; u32 "$breakpoints"; u32 "$3"; } | dd of=system.img bs=1 seek=492 conv=notrunc status=none
}
record=168 linear=0x30000000 physical=8388608 # system_record.h, system.c: RECORDS, RECORDS_AT
ask_qemu() { # first, count
    [ -n "$third" ] || return 0
    rm -f memory
    parameters "$1" "$2" 0
    { (ulimit -t 10; exec qemu-system-i386 -cpu pentium -m 16 -object memory-backend-file,id=memory,size=16M,mem-path=memory,share=on \
        -machine memory-backend=memory -drive file=system.img,format=raw,if=floppy -boot a -display none -no-reboot -debugcon null \
        -device isa-debug-exit,iobase=0xf4,iosize=1 </dev/null >qemu.err 2>&1) || true; } 2>/dev/null
    tail -c +$((physical + 1)) memory >qemu.out
}
ask_bochs() { # first, count, seconds that it has
    rm -f bochs.out
    parameters "$1" "$2" 0
    printf 'c\nwritemem "bochs.out" %s %d\nquit\n' $linear $(($2 * record)) >commands
    { (ulimit -t "$3"; exec bochs $debugger -q -f ../bochsrc -rc commands >bochs.err 2>&1 </dev/null) || true; } 2>/dev/null
}
tests() { # first, count
    local only=(--save-every=1000000000000 --save=never)
    [ $(($1 / piece % priced)) != 0 ] || only=()
    cp "$image" system.img
    parameters "$1" "$2" 1
    "$p5scope" run -q --threads=1 --max-instructions=$((2000000 + $2 * 5000)) "${only[@]}" system.img >ours.out 2>ours.err </dev/null || true
    [ "$(stat -c %s ours.out)" = $(($2 * record)) ] || {
        echo "test $(($1 + $(stat -c %s ours.out) / record)): the guest ends in it: $(cat ours.err)"
        return 6
    }
    ask_bochs "$1" "$2" 300
    [ -s bochs.out ] || { echo "Bochs leaves no records: $(tail -n 1 bochs.err)"; return 1; }
    ask_qemu "$1" "$2"
    "$compare" "$2" ours.out bochs.out ${third:+qemu.out}
}
alone() { # of the tests that QEMU was said to do otherwise, unlike Bochs, or to end in, each
    local test again status=0
    while read -r test; do
        [ -n "$test" ] || continue
        parameters "$test" 1 1
        timeout 600 "$p5scope" run -q --threads=1 system.img >ours.out </dev/null || true
        ask_qemu "$test" 1
        again=$("$compare" 1 ours.out ours.out qemu.out) || { echo "$again"; status=1; }
    done
    return "$status"
}

piece=25000 # QEMU alone differs in one of some 20,000
[ $breakpoints = 0 ] || piece=4000 # each new breakpoint looks at all blocks
pieces() { # which of the jobs
    local begin at end stop said asked rc ended status=0
    mkdir "$1" && cd "$1"
    for ((begin = first + $1 * piece; begin < first + count; begin += jobs * piece)); do
        at=$begin end=$((first + count - begin < piece ? first + count : begin + piece)) stop=$end
        while [ "$at" -lt "$end" ]; do
            if [ "$at" = "$stop" ]; then # left out: the emulator does not return from it
                ask_bochs $((at - (at < 50 ? at : 50))) $((at < 50 ? at + 1 : 51)) 5 # after others, which left it their memory
                [ ! -s bochs.out ] || { echo "... and in Bochs it does not"; status=1; }
                at=$((at + 1)) stop=$end
                continue
            fi
            rc=0
            said=$(tests "$at" $((stop - at))) || rc=$?
            if [ "$rc" = 6 ]; then
                echo "$said"
                stop=$(sed -n 's/^test \([0-9]*\):.*/\1/p' <<<"$said")
                continue
            fi
            if [ "$rc" -lt 3 ]; then
                echo "tests from $at: $said"
                [ "$rc" = 0 ] || status=1
                at=$stop
                continue
            fi
            echo "tests from $at: $(grep -v '^test [0-9]*,\|^  QEMU:' <<<"$said")"
            asked=$(sed -n 's/^test \([0-9]*\)\(,\|: QEMU ended\).*/\1/p' <<<"$said")
            ended=$(sed -n 's/^test \([0-9]*\):.*/\1/p' <<<"$said")
            if [ "$(wc -l <<<"$asked")" -gt 50 ]; then # the first one has overwritten what others need: they begin anew
                asked=$(head -1 <<<"$asked") ended=${asked%% *}
            fi
            alone <<<"$asked" || status=1
            at=$((${ended:-$((stop - 1))} + 1))
        done
    done
    return "$status"
}
in_parallel "$jobs" pieces
