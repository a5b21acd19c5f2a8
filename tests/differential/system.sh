#!/usr/bin/env bash
# Boots the diskette of system.c under p5scope, Bochs and, if it is to be asked, QEMU, in pieces, and compares what they wrote. Where QEMU
# alone differs or ends, a test is run once more by itself: QEMU lets the tests before it write beyond segments, to what no test puts back.
#   system.sh P5SCOPE COMPARE IMAGE FIRST COUNT [qemu|breakpoints [JOBS]]
# Breakpoints are not for QEMU, which they end (7.2: SIGSEGV).
set -euo pipefail
p5scope=$1 compare=$2 image=$3 first=$4 count=$5 third=${6:-} jobs=${7:-1}
command -v bochs >/dev/null && [ -d /usr/share/bochs ] || { echo "bochs is not installed: skipped"; exit 77; }
breakpoints=0
[ "$third" != breakpoints ] || { breakpoints=1; third=; }
[ -z "$third" ] || command -v qemu-system-i386 >/dev/null || { echo "qemu-system-i386 is not installed: Bochs only"; third=; }
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here"
cat >bochsrc <<END
display_library: rfb, options="timeout=0"
romimage: file=/usr/share/bochs/BIOS-bochs-legacy
vgaromimage: file=/usr/share/vgabios/vgabios.bin
megs: 16
cpu: model=pentium_mmx, count=1, ips=50000000, reset_on_triple_fault=0
floppya: 1_44="system.img", status=inserted
boot: floppy
port_e9_hack: enabled=1
log: bochs.log
panic: action=fatal
error: action=ignore
info: action=ignore
sound: waveoutdrv=dummy
speaker: enabled=0
clock: sync=none
END
printf 'c\nquit\n' >commands

u32() { # as bytes
    printf '%b' "$(printf '\\x%02x\\x%02x\\x%02x\\x%02x' $(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16 & 255)) $(($1 >> 24)))"
}
tests() { # first, count: where system_boot.asm has them
    cp "$image" system.img
    { u32 "$1"; u32 "$2"; u32 "$breakpoints"; } | dd of=system.img bs=1 seek=496 conv=notrunc status=none
    # Bochs is ended by its shutdown port, which it calls a panic; the guest's status is 1.
    { timeout 600 bochs -q -f ../bochsrc -rc ../commands >bochs.out 2>bochs.err </dev/null || true; } 2>/dev/null
    timeout 600 "$p5scope" run -q --threads=1 system.img >ours.out 2>ours.err </dev/null || [ $? = 1 ] || { cat ours.err; return 1; }
    if [ -n "$third" ]; then
        { (ulimit -t 10; exec qemu-system-i386 -cpu pentium -m 16 -drive file=system.img,format=raw,if=floppy -boot a -display none \
            -no-reboot -debugcon file:qemu.out -device isa-debug-exit,iobase=0xf4,iosize=1 </dev/null >qemu.err 2>&1) || true; } 2>/dev/null
    fi
    "$compare" "$2" ours.out bochs.out ${third:+qemu.out}
}

piece=2500
pieces() { # which of the jobs
    local begin at n said again rc test status=0
    mkdir "$1" && cd "$1"
    for ((begin = first + $1 * piece; begin < first + count; begin += jobs * piece)); do
        at=$begin n=$((first + count - begin < piece ? first + count - begin : piece))
        while [ "$n" -gt 0 ]; do
            rc=0
            said=$(tests "$at" "$n") || rc=$?
            if [ "$rc" != 3 ] && [ "$rc" != 4 ]; then
                echo "tests from $at: $said"
                [ "$rc" = 0 ] || status=1
                break
            fi
            echo "tests from $at: $(grep -v '^test [0-9]*,\|^  QEMU:' <<<"$said")"
            test=$(sed -n '/^test [0-9]*[,:]/{s/^test \([0-9]*\).*/\1/p;q}' <<<"$said")
            again=$(tests "$test" 1) || { echo "$again"; status=1; }
            n=$((at + n - test - 1)) # the others anew: what was overwritten stays so
            at=$((test + 1))
        done
    done
    return "$status"
}
workers=() status=0
for ((job = 0; job < jobs; job++)); do
    pieces "$job" &
    workers+=($!)
done
for worker in "${workers[@]}"; do
    wait "$worker" || status=1
done
exit "$status"
