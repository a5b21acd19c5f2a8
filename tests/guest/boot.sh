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
boots poll '' 'keeps polling for a key, but the input has ended' </dev/null
boots undefined '' 'at 0x00007c04: fcomip.*no handler for interrupt 06h.*--isa=permissive' </dev/null
boots undefined '' '--isa=permissive' --isa=permissive </dev/null
boots reset '' 'reset the processor at 0x00007c02: out' </dev/null
boots v86 F4 '' </dev/null
boots pci + '' </dev/null
# Lines that a program ends by moving the cursor or by scrolling are lines on standard output, too.
boots lines "$(printf '%s\n' A B C D E F G H I J K L M N O P Q R S T U V W X Y Z one two)" '' </dev/null
# A guest without a disk may ask for one to boot from, read it and write to it.
boots no_disk + 'INT 19h: there is no disk to boot from' --flat=0x1000:0 --real </dev/null
boots power 'PM12`' 'int 0x15 (the guest has switched the power off)' </dev/null
# No key is lost while the key buffer is full.
printf 'The quick brown fox jumps over the lazy dog.' | boots type_ahead 'The quick brown fox jumps over the lazy dog.' ''
# Keys: the words of the IBM PS/2 and PC BIOS interface technical reference, for 101 keys and for 83.
boots keys '1E61 1E41 2E03 48E0 53E0 8DE0 9800 3B00 5400 6900 8500 2D00 7800 0F00 0F09 011B 4800 5300 4400 7300 1C0D ' '' \
    --keys 'aA<ctrl-c><up><delete><ctrl-up><alt-up><f1><shift-f1><alt-f2><f11><alt-x><alt-1><shift-tab><tab><esc><up><delete><f11><f10><ctrl-up><ctrl-left><enter>'
