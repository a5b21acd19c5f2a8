#!/bin/sh
# system_image.sh NASM BOOT.ASM NAME: NAME.img, a diskette with the boot sector and NAME.bin after it.
set -e
sectors=$((($(stat -c %s "$3.bin") + 511) / 512))
"$1" -f bin -DSECTORS=$sectors "$2" -o "$3.boot"
cat "$3.boot" "$3.bin" >"$3.img"
truncate -s 1474560 "$3.img"
