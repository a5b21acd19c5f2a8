#!/bin/sh
# session.sh P5SCOPE SCRIPT.gdb GUEST [OPTION...]: see README.md. A GUEST.bin or .com is an image, without symbols.
set -eu
p5scope=$1 script=$2 guest=$3
shift 3
case $guest in *.bin | *.com) symbols= ;; *) symbols=$guest ;; esac
[ -f "$guest" ] || { echo "there is no guest $guest: build the target testprogs"; exit 1; }
command -v gdb >/dev/null || { echo "gdb is not installed"; exit 77; }
folder=$(mktemp -d "${TMPDIR:-/tmp}/p5scope-gdb-XXXXXX")
"$p5scope" run -q --gdb "$folder/socket" "$@" "$guest" >"$folder/guest" 2>&1 &
server=$!
trap 'kill $server 2>/dev/null || true; wait $server 2>/dev/null || true; rm -rf "$folder"' EXIT
until grep -q '^p5scope: waiting for gdb' "$folder/guest"; do # the socket exists before p5scope listens at it
    kill -0 $server 2>/dev/null && ! grep -q '^State:.Z' /proc/$server/status || { echo "p5scope does not listen:"; cat "$folder/guest"; exit 1; }
    sleep 0.05
done
timeout 1200 gdb -q -batch -nx -ex 'set pagination off' -ex 'set confirm off' -ex 'set width 0' -ex 'set remotetimeout 60' -ex "target remote $folder/socket" \
    -x "$script" $symbols >"$folder/raw" 2>&1 </dev/null || true
wait $server || true
{ # gdb 16 says in two lines of the end of history what gdb 13 says in one
    sed -e "s#[^ ]*/\([a-z0-9_]*\.\(asm\|c\|inc\)\)#\1#g" -e 's/0x0*\(804\|bfff\)[0-9a-f]*/ADDRESS/g' -e 's/^tsc .*/tsc  N/' -e 's/^10h .*/10h  N/' \
        -e '/^Backward execution from here not possible\.$/d' -e '/^warning: Source file is more recent than executable\.$/d' -e 's/^Reached end of recorded history; stopping\.$/No more reverse-execution history./' \
        -e '/^ \{4,\}[0-9]/s/[0-9][0-9.]*\( %\| clocks each\|  [a-z]\|  [UV]\)/N\1/g' "$folder/raw"
    echo "--- guest"
    grep -v '^p5scope: waiting' "$folder/guest" || true
} >"$folder/out"
expected=${script%.gdb}.out
if [ "${P5_REBASE:-}" = 1 ]; then
    cp "$folder/out" "$expected"
fi
diff -u "$expected" "$folder/out"
