#!/bin/sh
# isa.sh PROGRAM...: fails if a program holds instructions that came after the Pentium MMX.
set -u
# PAUSE is not among them: as REP NOP it runs on every processor
later='cmov|\bfu?comip?\b|%xmm|endbr|\bnop[wl]\b|data16|sysenter|syscall|prefetch|fxsave|fxrstor|ldmxcsr|stmxcsr|[lms]fence|tzcnt|lzcnt|popcnt|\bud1\b'
status=0
for program in "$@"; do
    objdump -d "$program" >/dev/null || exit 1
    found=$(objdump -d "$program" | awk -F '\t' 'NF >= 3 { sub(/<.*/, "", $3); print $1 $3 }' |
        grep -E "$later" | head -5)
    if [ -n "$found" ]; then
        echo "FAIL: $program holds instructions that a Pentium MMX does not have, among them"
        echo "$found"
        status=1
    fi
done
exit $status
