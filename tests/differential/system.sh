#!/usr/bin/env bash
# Boots the diskette of system.c under p5scope, Bochs and, if it is to be asked, QEMU, and compares what they wrote.
#   system.sh P5SCOPE COMPARE IMAGE [qemu]
set -euo pipefail
p5scope=$1 compare=$2 image=$3 third=${4:-}
command -v bochs >/dev/null && [ -d /usr/share/bochs ] || { echo "bochs is not installed: skipped"; exit 77; }
[ -z "$third" ] || command -v qemu-system-i386 >/dev/null || { echo "qemu-system-i386 is not installed: Bochs only"; third=; }
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cp "$image" "$here/system.img"
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
# Bochs is ended by its shutdown port, which it calls a panic; the guest's status is 1.
{ timeout 1200 bochs -q -f bochsrc -rc commands >bochs.out 2>bochs.err </dev/null || true; } 2>/dev/null
"$p5scope" run -q system.img >ours.out 2>ours.err </dev/null || [ $? = 1 ] || { cat ours.err; exit 1; }
if [ -n "$third" ]; then
    timeout 1200 qemu-system-i386 -cpu pentium -m 16 -drive file=system.img,format=raw,if=floppy -boot a -display none -no-reboot \
        -debugcon file:qemu.out -device isa-debug-exit,iobase=0xf4,iosize=1 </dev/null >qemu.err 2>&1 || [ $? = 1 ] || { cat qemu.err; exit 1; }
fi
"$compare" ours.out bochs.out ${third:+qemu.out} || { tail -3 bochs.err; exit 1; }
