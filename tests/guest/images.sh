#!/bin/sh
# images.sh P5SCOPE NASM: what a file is taken for, how it is booted, and where the guest's writes go. The expected answers are those of the
# Multiboot specification, El Torito and a PC's BIOS; images.asm says what it prints.
set -eu
p5scope=$1 nasm=$2 sources=$(cd "$(dirname "$0")" && pwd)/../../testprogs/checks/boot
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "images.sh: $*" >&2; exit 1; }
says() { # EXPECTED ARGUMENTS...: what the guest prints
    expected=$1; shift
    got=$("$p5scope" run "$@" </dev/null 2>err) || fail "$*: status $?: $(cat err)"
    [ "$got" = "$expected" ] || fail "$*: '$got', expected '$expected'"
}
told() { grep -q "$1" err || fail "no message with '$1': $(cat err)"; }
"$nasm" -f bin -o boot.bin "$sources/images.asm"
"$nasm" -f bin -D FORMAT_360 -o boot360.bin "$sources/images.asm"

# A diskette of 1440 KB whose end is missing, and one of 360 KB as its parameter block says.
says '00 00 01 12 ' boot.bin
told 'bytes of its format'
says '00 00 01 09 ' boot360.bin
{ cat boot.bin; printf 'A'; } >short.img
says '00 41 42 12 ' short.img
told 'has only 513 of the 1474560 bytes of its format'

# Writes go to memory, so that a run is the same again; with --disk-write to the file.
cp boot.bin full.img && truncate -s 1440K full.img && cp full.img before.img
says '00 00 01 12 ' full.img
told 'kept in memory and dropped at the end'
cmp -s full.img before.img || fail "the image has changed without --disk-write"
says '00 00 01 12 ' full.img
says '00 00 01 12 ' --disk-write full.img
says '00 01 02 12 ' full.img
truncate -s 8M full.img
says '80 01 02 3F ' full.img

# A snapshot has what was written: in the middle of the second run the byte is one larger.
"$p5scope" run --save s --save-at begin:7 short.img >/dev/null 2>&1 </dev/null
got=$("$p5scope" run --load s short.img </dev/null 2>/dev/null)
[ "$got" = '42 12 ' ] || fail "after --load: '$got'"

# A boot signature counts more than a Multiboot header in the next sector; options force either.
"$nasm" -f bin -o multiboot.img "$sources/images_multiboot.asm"
says 'disk' multiboot.img
says 'disk' --disk multiboot.img
says 'kernel' --multiboot multiboot.img
if "$p5scope" run --disk --multiboot multiboot.img 2>err; then fail "--disk and --multiboot together"; fi
told 'give one of them'

# CDs: without emulation from drive E0h, whose sectors have no cylinders; with that of a diskette as drive 0.
command -v xorriso >/dev/null || { echo "images.sh: no xorriso: CDs are left out"; exit 0; }
mkdir cd && cp boot.bin cd/boot.bin && cp before.img cd/floppy.img
xorriso -as mkisofs -quiet -o floppy.iso -b floppy.img cd 2>/dev/null
"$nasm" -f bin -o cd/cd.bin "$sources/images_cd.asm"
xorriso -as mkisofs -quiet -o cd.iso -b cd.bin -no-emul-boot -boot-load-size 4 cd 2>/dev/null
says '00 00 12 =' floppy.iso
says 'E0 07C0 CD001 07C0' cd.iso
