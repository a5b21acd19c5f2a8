#!/bin/sh
# ends.sh PROGRAM STATUS MESSAGE HOW ARGUMENTS...: `PROGRAM ARGUMENTS` ends with STATUS and says MESSAGE. HOW: plain; unread: stdout is a pipe that
# is not read; deaf: stderr is one, too, so no message appears; interrupted: as unread, and SIGINT comes.
set -u
program=$1 status=$2 message=$3 how=$4
shift 4
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
mkfifo "$scratch/pipe"
exec 3<>"$scratch/pipe" # open at both ends: it fills, and no end of it is ever closed
case $how in
plain) "$program" "$@" </dev/null >"$scratch/out" 2>"$scratch/err" ;;
unread) "$program" "$@" </dev/null >&3 2>"$scratch/err" ;;
deaf) "$program" "$@" </dev/null >&3 2>&3 ;;
interrupted)
    "$program" "$@" </dev/null >&3 2>"$scratch/err" &
    started=$!
    dd bs=1 count=1 <&3 >/dev/null 2>&1 # the guest runs when its first byte is there
    kill -INT "$started"
    wait "$started"
    ;;
esac
came=$?
[ "$how" != deaf ] || echo "$message" >"$scratch/err"
if [ "$came" != "$status" ] || ! grep -q -- "$message" "$scratch/err"; then
    echo "$program $*: expected status $status and '$message', came status $came and:"
    cat "$scratch/err"
    exit 1
fi
