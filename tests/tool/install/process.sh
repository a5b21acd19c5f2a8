#!/bin/bash
# process.sh NM ARCHIVE...: the floors of the library neither print to the process's streams nor end it, choose a locale or handle
# signals (docs/api.py writes this promise). The archives are those that the installed library is linked from, without Unicorn. The C library's names
# for these are looked up among the undefined symbols, fortified forms included. `assert` is allowed.
set -u
nm=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printing='printf vprintf puts putchar putchar_unlocked perror psignal psiginfo stdout stderr stdin err errx warn warnx error syslog'
ending='exit _exit _Exit quick_exit abort atexit on_exit pthread_kill raise kill'
process='setlocale signal sigaction bsd_signal sysv_signal sigset sigprocmask siginterrupt sigaltstack'
for name in $printing $ending $process; do printf '%s\n__%s\n__%s_chk\n' "$name" "$name" "$name"; done >"$work/names"
status=0
for archive in "$@"; do
    "$nm" -A -u "$archive" >"$work/undefined" 2>"$work/messages" || { cat "$work/messages"; exit 1; }
    grep -q ' mem[a-z]*\| str[a-z]*' "$work/undefined" || { echo "$archive has no symbols of the C library (link-time optimization): skipped"; exit 77; }
    awk 'NR == FNR { bad[$1]; next } $NF in bad { print "FAIL: " $0; found = 1 } END { exit found }' "$work/names" "$work/undefined" || status=1
done
exit $status
