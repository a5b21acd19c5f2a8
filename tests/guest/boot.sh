#!/bin/sh
# boot.sh P5SCOPE NASM: boot sectors, what they print and how their runs end. The expected output is that of QEMU's PC, except where a run on
# a real machine would wait for ever.
set -eu
p5scope=$1 nasm=$2 sources=$(cd "$(dirname "$0")" && pwd)/../../testprogs/checks/boot
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
boots() { # NAME OUTPUT MESSAGE [OPTIONS...], input from standard input
    name=$1 expected=$2 message=$3; shift 3
    "$nasm" -f bin -o "$name.img" "$sources/$name.asm"
    got=$("$p5scope" run "$@" "$name.img" 2>err) || { echo "$name: status $?: $(cat err)" >&2; exit 1; }
    [ "$got" = "$expected" ] || { echo "$name: '$got', expected '$expected'" >&2; exit 1; }
    [ -z "$message" ] || grep -q -e "$message" err || { echo "$name: no message '$message': $(cat err)" >&2; exit 1; }
}
boots timeout T '' </dev/null
printf x | boots timeout K ''
# A snapshot that was saved after the end of the input hears a new one.
"$p5scope" run -q --save s --save-at 10000000c timeout.img </dev/null >/dev/null
got=$(printf x | "$p5scope" run -q --load s timeout.img)
[ "$got" = K ] || { echo "timeout: '$got' after --load with input, expected 'K'" >&2; exit 1; }
boots poll '' 'looks for a key again and again, and the input has ended' </dev/null
boots undefined '' 'at 0x00007c04: fcomip.*interrupt 06h has no handler.*--isa=permissive' </dev/null
boots undefined '' '--isa=permissive' --isa=permissive </dev/null
boots v86 F4 '' </dev/null
boots pci + '' </dev/null
# A guest without a disk may ask for one to boot from, read it and write to it.
boots no_disk + 'INT 19h: there is no disk to boot from' --flat=0x1000:0 --real </dev/null
# Diskettes of every format, and hard disks: KB, kind by INT 13h AH = 08h, cylinders, heads, sectors of a track. The last sector begins with 1234h.
"$nasm" -f bin -o drive.img "$sources/drive.asm"
for format in 160:1:40:1:8 180:1:40:1:9 320:1:40:2:8 360:1:40:2:9 720:3:80:2:9 1200:2:80:2:15 1440:4:80:2:18 2880:6:80:2:36 8192:0:16:16:63 1048576:0:1024:16:63; do
    IFS=: read -r kb kind cylinders heads sectors <<END
$format
END
    cp drive.img format.img
    truncate -s "${kb}K" format.img
    printf '\064\022' | dd of=format.img bs=1 seek=$((kb * 1024 - 512)) conv=notrunc status=none
    last=$((cylinders - 1)) size=$((kb * 2)) fixed=$((kind == 0))
    expected=$(printf '0000 %04X %04X %04X ' "$kind" $(((last & 255) << 8 | last >> 8 << 6 | sectors)) $((heads - 1 << 8 | 1))
        printf '0%d00 %04X 0100 AA55 0001 ' $((fixed ? 3 : 1)) $((fixed ? size >> 16 : 0))
        printf '001A 0002 %04X 0000 %04X 0000 %04X 0000 %04X %04X 0000 0000 0200 ' "$cylinders" "$heads" "$sectors" $((size & 65535)) $((size >> 16))
        echo '0000 1234 0400 0000 0400 0004 0400 0400 0001 0100 0100 0100 ')
    got=$("$p5scope" run -q format.img </dev/null) && status=0 || status=$?
    [ "$got" = "$expected" ] && [ $status = 1 ] || { echo "drive of $kb KB: '$got', status $status, expected '$expected'" >&2; exit 1; }
done
