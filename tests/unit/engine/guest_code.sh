#!/bin/sh
# guest_code.sh OBJCOPY GUEST-CC OBJECT OUTPUT.c: assembles the guest code whose text the object has in its section guest_text (guest.h), and
# writes C source that has it as bytes, with its labels. Code without references to addresses, as guest.h demands.
set -eu
objcopy=$1 cc=$2 object=$3 output=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: >"$work/text" # there may be none
"$objcopy" -O binary --only-section=guest_text --set-section-flags guest_text=alloc,load,contents "$object" "$work/text"
tr '\0' '\n' <"$work/text" >"$work/guest.s"
"$cc" -m32 -c "$work/guest.s" -o "$work/guest.o"
"$("$cc" -print-prog-name=objcopy)" -O binary --only-section=.text "$work/guest.o" "$work/bytes"
{
    printf '__asm__(".section .rodata\\nguest_bytes:\\n"\n'
    od -An -v -tu1 -w16 "$work/bytes" | awk 'NF { line = $1; for (i = 2; i <= NF; i++) line = line "," $i; print "\".byte " line "\\n\"" }'
    "$("$cc" -print-prog-name=nm)" "$work/guest.o" |
        awk '$3 ~ /^[A-Za-z_]/ { print "\".globl " $3 "\\n.set " $3 ", guest_bytes + 0x" $1 "\\n\"" }'
    printf '".previous\\n");\n'
} >"$output"
