#!/usr/bin/env bash
# Debian's SYSLINUX boots from a diskette to its prompt.   syslinux.sh P5SCOPE
set -euo pipefail
p5scope=$1
for program in syslinux mformat mcopy; do
    command -v $program >/dev/null || { echo "$program is not installed (Debian: syslinux syslinux-common mtools): skipped"; exit 77; }
done
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here"
mformat -C -f 1440 -i boot.img ::
printf 'PROMPT 1\nTIMEOUT 0\nDEFAULT nothing\nSAY this is the prompt\n' >syslinux.cfg
mcopy -i boot.img syslinux.cfg ::
syslinux --install boot.img
"$p5scope" run -q --max-clocks 600000000 boot.img </dev/null >output.txt 2>messages.txt || true
if ! grep -q 'this is the prompt' output.txt || ! grep -q 'boot:' output.txt; then
    echo "expected a line 'this is the prompt' and 'boot:', got:"
    cat output.txt messages.txt
    exit 1
fi
