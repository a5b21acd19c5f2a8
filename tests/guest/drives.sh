#!/bin/sh
# drives.sh P5SCOPE NASM: INT 13h of diskettes of every format and of hard disks. Each has its KB, its kind by AH = 08h, cylinders (08h has 1024 at most), heads and
# sectors of a track, as IBM's formats are; the last sector begins with 1234h.
set -eu
p5scope=$1 nasm=$2 sources=$(cd "$(dirname "$0")" && pwd)/../../testprogs/checks/boot
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$nasm" -f bin -o drive.img "$sources/drive.asm"
for format in 160:1:40:1:8 180:1:40:1:9 320:1:40:2:8 360:1:40:2:9 720:3:80:2:9 1200:2:80:2:15 1440:4:80:2:18 2880:6:80:2:36 8192:0:16:16:63 1048576:0:2080:16:63; do
    IFS=: read -r kb kind cylinders heads sectors <<END
$format
END
    cp drive.img format.img
    truncate -s "${kb}K" format.img
    printf '\064\022' | dd of=format.img bs=1 seek=$((kb * 1024 - 512)) conv=notrunc status=none
    last=$(((cylinders < 1024 ? cylinders : 1024) - 1)) size=$((kb * 2)) fixed=$((kind == 0))
    expected=$(printf '0000 %04X %04X %04X ' "$kind" $(((last & 255) << 8 | last >> 8 << 6 | sectors)) $((heads - 1 << 8 | 1))
        printf '0%d00 %04X 0100 AA55 0001 ' $((fixed ? 3 : 1)) $((fixed ? size >> 16 : 0))
        printf '001A 0002 %04X 0000 %04X 0000 %04X 0000 %04X %04X 0000 0000 0200 ' "$cylinders" "$heads" "$sectors" $((size & 65535)) $((size >> 16))
        echo '0000 1234 0400 0000 0400 0004 0400 0400 0001 0100 0100 0100 0100 0100 ')
    got=$("$p5scope" run -q format.img </dev/null) && status=0 || status=$?
    [ "$got" = "$expected" ] && [ $status = 1 ] || { echo "drive of $kb KB: '$got', status $status, expected '$expected'" >&2; exit 1; }
done
