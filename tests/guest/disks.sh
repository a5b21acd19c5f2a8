#!/bin/sh
# disks.sh P5SCOPE NASM: a diskette and an IDE disk through the ports of their controllers. Lines without * are also what QEMU's PC prints, if it
# is installed; those with * follow the data sheets (ATA-3, Intel 82077AA).
set -eu
p5scope=$1 nasm=$2 sources=$(cd "$(dirname "$0")" && pwd)/../../testprogs/checks/boot
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "$*" >&2; exit 1; }
guest() { "$p5scope" "$@" || [ $? = 1 ] || fail "p5scope $*: it does not end as QEMU's port F4h says, by status 1"; }
"$nasm" -f bin -o disks.bin "$sources/disks.asm"
python3 - <<'EOF'
from struct import pack
boot = open("disks.bin", "rb").read()
sectors = b"".join(pack("<256H", *[n] * 256) for n in range(2880))
open("diskette.img", "wb").write(boot + sectors[len(boot):])
open("disk.img", "wb").write(b"".join(pack("<256H", *[(n & 0xff) << 8 | i for i in range(256)]) for n in range(16 * 63 * 20)))
EOF
cat >expected <<'EOF'
cells 40F0
* reset 5001 
* registers 01010000A0
00
identify 5800 004000140010003F020000004EC050
read 5800 050005FF 50 
* registers 00050000E0
5800 700070FF 58 710071FF 50 
* registers 00040100A2

write 58 5800 5000 
* registers 00080000E0
5800 12341234 56785678 
multiple 5000 5800 020002FF 030003FF 040004FF 050005FF 060006FF 12341234 50
* errors 5104 5104 
other 5000 5000 5000 
floppy reset C000 C100 C200 C300 
version 90 recalibrate 2000 seek 2002 00
* id 00000002000102 
data 04000002010102 00580058 005904
* end of track 40800003000102 
* write 04000002010402 04000002010402 
read back 47111147 
invalid 80 
EOF
if command -v qemu-system-i386 >/dev/null; then
    # QEMU resets its drive in another thread, which a busy host may run late; then the guest may even wait for ever.
    grep -v '^\*' expected >wanted
    for try in 1 2 3 4 5; do
        timeout 60 qemu-system-i386 -M pc -accel tcg -display none -boot a -debugcon stdio -device isa-debug-exit,iobase=0xf4 \
            -drive file=diskette.img,if=floppy,format=raw,snapshot=on -drive file=disk.img,if=ide,format=raw,snapshot=on >qemu 2>&1 || true
        if grep -v '^\*' qemu | cmp -s wanted -; then break; fi
    done
    grep -v '^\*' qemu | diff wanted - || fail "QEMU prints something else"
else
    echo "QEMU is not installed: not compared"
fi
cp diskette.img d1; cp disk.img d2
guest run -q --disk2 disk.img diskette.img >got
diff expected got || fail "p5scope prints something else"
cmp diskette.img d1 && cmp disk.img d2 || fail "an image was written to without --disk-write"

# One run is the same as two pieces of it, cut while both controllers have something to do.
guest stat -q -j -o whole.json --disk2 disk.img diskette.img >/dev/null
count=$(jq -r 'select(.event == "instructions_executed") | ."counter-value"' whole.json | cut -d. -f1)
for part in 3 5 7 8; do
    at=$((count * part / 9))
    "$p5scope" run -q --save s --max-instructions $at --disk2 disk.img diskette.img >pieces 2>messages || true
    guest run -q --load s --disk2 disk.img diskette.img >>pieces
    diff expected pieces || fail "in two pieces, cut after $at instructions, it prints something else"
done
if "$p5scope" run -q --load s diskette.img >/dev/null 2>err; then fail "a snapshot was loaded without its second disk"; fi
grep -q 'disk.img; name it with --disk2' err || fail "the message for a missing second disk: $(cat err)"

# What one guest installs on the hard disk, the machine boots from; without --disk-write the image stays as it is.
"$nasm" -f bin -o second.img "$sources/second.asm"
truncate -s 1474560 second.img
truncate -s 10M hard.img
[ "$(guest run -q --disk2 hard.img second.img)" = D= ] || fail "the installation"
if "$p5scope" run -q hard.img >/dev/null 2>&1; then fail "the image was written to without --disk-write"; fi
[ "$(guest run -q --disk-write --disk2 hard.img second.img)" = D= ] || fail "the installation to the file"
[ "$(guest run -q hard.img)" = H= ] || fail "the installed disk does not boot"

# A guest without a BIOS has more than one disk, and writes to an image.
"$nasm" -f bin -I "$sources/../../bare/" -o two.bin "$sources/two_disks.asm"
for name in A B C; do printf $name >$name.img; truncate -s 10M $name.img; done
printf F >floppy.img
truncate -s 1474560 floppy.img
cp B.img before.img
disks="--disk2 A.img --disk2 floppy.img --disk2 B.img"
[ "$(guest run -q $disks --flat=0x100000 two.bin)" = 40AB ] || fail "two disks and a diskette: $(guest run -q $disks --flat=0x100000 two.bin)"
cmp B.img before.img || fail "the second disk was written to without --disk-write"
guest run -q --disk-write $disks --flat=0x100000 two.bin >/dev/null
printf LATE | cmp -n 4 -i 0:512 - B.img || fail "the second disk was not written to"
[ "$(head -c 1 A.img)$(head -c 1 B.img)" = AB ] || fail "another sector was written to"
"$p5scope" run -q --save s --max-instructions 700 $disks --flat=0x100000 two.bin >pieces 2>messages || true
guest run -q --load s $disks >>pieces
[ "$(cat pieces)" = 40AB ] || fail "in two pieces: $(cat pieces)"
if "$p5scope" run -q --disk2 C.img $disks --flat=0x100000 two.bin 2>err; then fail "five disks"; fi
if "$p5scope" run -q --disk2 A.img --disk2 B.img --disk2 C.img --flat=0x100000 two.bin 2>err; then fail "three hard disks"; fi
grep -q 'C.img: there are two hard disks already' err || fail "the message for three hard disks: $(cat err)"

# Two drives may read one image, but not write to it, whatever its names are. A snapshot's drives are no exception.
ln -s A.img link.img
ln A.img hard_link.img
ln -s diskette.img boot.img
guest run -q --disk2 A.img --disk2 link.img --flat=0x100000 two.bin >/dev/null
for same in "--disk2 A.img --disk2 A.img --flat=0x100000 two.bin" "--disk2 A.img --disk2 link.img --flat=0x100000 two.bin" \
    "--disk2 A.img --disk2 floppy.img --disk2 hard_link.img --flat=0x100000 two.bin" "--disk2 diskette.img boot.img"; do
    if "$p5scope" run -q --disk-write $same 2>err; then fail "$same: two writers"; fi
    grep -q 'another drive has the same image, and the guest may write to both' err || fail "$same: $(cat err)"
done
cp -p A.img twin.img
"$p5scope" run -q --save s --max-instructions 10 --disk-write --disk2 A.img --disk2 twin.img --flat=0x100000 two.bin >/dev/null 2>&1 || true
if "$p5scope" run -q --load s --disk-write --disk2 A.img --disk2 link.img 2>err; then fail "a snapshot with two writers"; fi
grep -q 'another drive has the same image' err || fail "a snapshot with two writers: $(cat err)"
guest run -q --load s --disk-write --disk2 A.img --disk2 twin.img >/dev/null

# An image that is shorter than its format is padded, with a message, on the controllers' ports, too.
head -c 20000 diskette.img >short.img
"$p5scope" run --disk2 A.img short.img >/dev/null 2>err || true
grep -q 'the disk image has only 20000 of the 1474560 bytes of its format' err || fail "the message for a short image: $(cat err)"
