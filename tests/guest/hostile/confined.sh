#!/bin/sh
# confined.sh P5SCOPE GUEST: every verb that runs a guest is in the sandbox while it does. Skipped if p5scope was built without seccomp.
set -u
program=$1 guest=$2
"$program" --version -v | grep -q '^sandbox: seccomp,' || { echo "this build has no seccomp: skipped"; exit 77; }
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
mkfifo "$here/unread"
exec 3<>"$here/unread"
confined() { # PID: the process has given up new privileges and system calls
    grep -q '^NoNewPrivs:.1' "/proc/$1/status" && grep -q '^Seccomp:.2' "/proc/$1/status"
}
failed=0
try() {
    "$program" "$@" "$guest" >&3 2>/dev/null &
    pid=$! waited=0
    until confined $pid || [ $waited = 3000 ]; do
        kill -0 $pid 2>/dev/null || break
        sleep 0.1
        waited=$((waited + 1))
    done
    confined $pid || { echo "not confined: $*"; failed=1; }
    kill -9 $pid
    wait $pid 2>/dev/null
}
try run
try run --save "$here/snapshot" --save-at 100000000000i
try stat -o "$here/report"
try stat -r 1 -I 100000c -o "$here/report"
try record -o "$here/profile"
try trace -o "$here/trace.csv"
try trace -o "$here/trace.db"
try top
# The process is also confined during --fast-forward.
forward=$here/forward
for verb in run "stat -o $forward.1" "record -o $forward.2" "trace -o $forward.csv" "trace -o $forward.db" top; do
    # shellcheck disable=SC2086
    try $verb --fast-forward 100000000000
    # shellcheck disable=SC2086
    "$program" $verb -q --fast-forward 100 --max-instructions 1000 "$guest" >/dev/null 2>"$here/err" || [ $? -lt 120 ] || { echo "$verb --fast-forward: $(cat "$here/err")"; failed=1; }
done
exit $failed
