#!/bin/sh
# unchanged.sh P5SCOPE SCRIPT.gdb GUEST [ARGUMENT...]: a guest that gdb has taken back and forth counts what it counts without gdb, and writes what it
# writes once.
set -eu
p5scope=$1 script=$2
shift 2
command -v gdb >/dev/null || { echo "gdb is not installed"; exit 77; }
folder=$(mktemp -d "${TMPDIR:-/tmp}/p5scope-gdb-XXXXXX")
"$p5scope" stat -q -j -o "$folder/with" --gdb "$folder/socket" "$@" >"$folder/out.with" 2>"$folder/messages" &
server=$!
trap 'kill $server 2>/dev/null || true; wait $server 2>/dev/null || true; rm -rf "$folder"' EXIT
until grep -q '^p5scope: waiting for gdb' "$folder/messages"; do
    kill -0 $server 2>/dev/null && ! grep -q '^State:.Z' /proc/$server/status || { echo "p5scope does not listen:"; cat "$folder/messages"; exit 1; }
    sleep 0.05
done
timeout 1200 gdb -q -batch -nx -ex 'set pagination off' -ex 'set confirm off' -ex 'set remotetimeout 60' -ex "target remote $folder/socket" -x "$script" "$1" \
    >"$folder/raw" 2>&1 </dev/null || true
wait $server || true
grep -q exited "$folder/raw" || { cat "$folder/raw"; echo "FAIL: gdb did not come to the end"; exit 1; }
"$p5scope" stat -q -j -o "$folder/without" "$@" >"$folder/out.without" || true
cmp "$folder/out.with" "$folder/out.without" || { echo "FAIL: other output"; exit 1; }
for run in with without; do
    sed -n 's/.*"value":\([0-9]*\).*"event":"\([^"]*\)".*/\2 \1/p; s/.*"event":"\([^"]*\)".*"value":\([0-9]*\).*/\1 \2/p' "$folder/$run" >"$folder/$run.counts"
done
[ "$(wc -l <"$folder/without.counts")" -gt 50 ] || { echo "FAIL: nothing is counted"; exit 1; }
diff "$folder/without.counts" "$folder/with.counts" || { echo "FAIL: < without gdb, > with it"; exit 1; }
