#!/bin/sh
# no_x87.sh LIBRARY...: what runs while the host's x87 holds the guest's registers (src/engine/x87/x87_host.h) executes no x87 or MMX
# instruction but in src/engine/x87/*.c.
command -v objdump >/dev/null || { echo "SKIP: no objdump"; exit 77; }
for library; do
  functions=$(objdump -d --no-show-raw-insn "$library" | awk -v library="$library" '
    / file format / { object = $1; ours = object ~ /^x87.*\.o:$/ }
    /^[0-9a-f]+ <.*>:$/ { name = $2; all++ }
    /^ *[0-9a-f]+:\t(f[a-z]|emms)|%mm[0-7]/ { if (ours) known++; else print object, name, $2 }
    END { print "all", all + 0, known + 0 }' | sort -u)
  count=$(echo "$functions" | sed -n 's/^all \([0-9]*\) .*/\1/p')
  [ "$count" -gt 0 ] || { echo "$library: nothing disassembled"; exit 1; }
  found=$(echo "$functions" | grep -v '^all ')
  [ -z "$found" ] || { echo "$library: x87 instructions in"; echo "$found"; exit 1; }
  case $library in # that the search finds what there is to find
    *p5_engine*) echo "$functions" | grep -q '^all [0-9]* 0$' && { echo "$library: no x87 instruction at all"; exit 1; } ;;
  esac
done
exit 0
