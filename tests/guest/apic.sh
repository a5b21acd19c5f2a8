#!/bin/sh
# apic.sh P5SCOPE NASM: the local APIC and the I/O APIC of a board with [board] apic = on. Lines without * are also what QEMU's PC prints,
# if it is installed; those with * follow Intel's manual and the 82093AA data sheet, and QEMU is another processor or takes a short cut.
set -eu
p5scope=$1 nasm=$2 sources=$(cd "$(dirname "$0")" && pwd)/../../testprogs/checks/boot
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "$*" >&2; exit 1; }
guest() { "$p5scope" "$@" || [ $? = 1 ] || fail "p5scope $*: it does not end as QEMU's port F4h says, by status 1"; }
for base in p55c-200 p54c-133 p55c-200-arch3 p55c-200-p6; do
    printf '[model]\nbase = %s\n[board]\napic = on\n' $base >$base.ini
done
for name in apic apic_pmi; do
    "$nasm" -f bin -I "$sources/" -o $name.img "$sources/$name.asm"
    truncate -s 1474560 $name.img
done
# Errors: 20h is an illegal vector sent, 4 a message that nobody accepts. The entry of the timer is 320h, of LINT1 360h.
cat >expected <<'EOF'
mp 00 00 504D4350 FEE00000 FEC00000 
00000200
* version 00030010 00000000 00170011 01000000
* virtual wire 0000010F 00000700 00000400 
masks FF000000 FFFFFFFF 000001FF 00000023 00000023 
self 00200000 00000000 00000055 00000000 00000000 55726361 
priority 00000000 0000005F 0000005F 63776554 00000060 00000000 
destinations 00000041 00000041 00004143 00414344 41434446 00000001 
* errors 00000020 00000000 00000004 000000E1 
* software disable 00010400 00010030 00010400 
timer 00002000 000000D0 00000000 00000001 D0D1D1D1 00000004 00000000 
io apic 00010000 0001AFFF 00005858 00000068 00000001 00696969 00000000 0000C069 00008069
8259 00004040 00000000 
* 8259 as an edge at LINT0 00005959 
* 8259 by the I/O APIC 00004040 
EOF
if command -v qemu-system-i386 >/dev/null; then
    # -icount: its timers follow what it executes, not the time of a busy host
    timeout 120 qemu-system-i386 -M pc -cpu pentium -accel tcg -icount shift=4,sleep=off -display none -boot a -debugcon stdio -device isa-debug-exit,iobase=0xf4 \
        -drive file=apic.img,if=floppy,format=raw,snapshot=on >qemu 2>&1 || true
    grep -v '^\*' expected >wanted
    grep -v '^\*' qemu | diff wanted - || fail "QEMU prints something else"
else
    echo "QEMU is not installed: not compared"
fi
for base in p55c-200 p54c-133; do
    guest run -q --model ./$base.ini apic.img >got
    diff expected got || fail "$base prints something else"
done

# One run is the same as two pieces of it, and as one that checks the remembered prices.
guest stat -q -j -o whole.json --model ./p55c-200.ini apic.img >/dev/null
count=$(jq -r 'select(.event == "instructions_executed") | ."counter-value"' whole.json | cut -d. -f1)
for part in 1 4 7; do
    "$p5scope" run -q --save s --max-instructions $((count * part / 10)) --model ./p55c-200.ini apic.img >pieces 2>messages || true
    guest run -q --load s apic.img >>pieces
    diff expected pieces || fail "in two pieces, cut at $part tenths, it prints something else"
done
"$p5scope" stat --check-memo --max-instructions 300000 --model ./p55c-200.ini apic.img >/dev/null 2>messages || true
grep -q 'each the same with the memo and on the exact path' messages || fail "--check-memo: $(cat messages)"

# The performance counters' entry exists with the monitors that have an interrupt; handling it masks the entry.
for base in p55c-200-arch3 p55c-200-p6; do
    [ "$(guest run -q --model ./$base.ini apic_pmi.img)" = "00040010 000000D5 000000D5 000100D5 00000001 00000001 00010400 " ] ||
        fail "$base: the overflow interrupt: $(guest run -q --model ./$base.ini apic_pmi.img)"
done
[ "$(guest run -q --model ./p55c-200.ini apic_pmi.img)" = "00030010 00000000 " ] || fail "the Pentium has an entry for counters"
if "$p5scope" run -q --model ./p55c-200-arch3.ini --wire pmi=nmi apic_pmi.img >/dev/null 2>err; then fail "pmi is wired beside an APIC"; fi
grep -q 'pins.pmi and board.apic = on exclude each other' err || fail "the message for pmi beside an APIC: $(cat err)"
