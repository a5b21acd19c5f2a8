#!/bin/sh
# same.sh PROGRAM P5SCOPE: a program gives the same answers and status natively and as a guest, in a directory of the host and in the guest's own /tmp.
# Standard input is a pipe without data.
set -e
umask 022 # as a guest has it; the umask of p5scope applies to a share, too
natively=$(cd "$(dirname "$0")" && pwd)/natively.sh
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here"
mkdir native guest
mkfifo idle
exec 9<>idle
{ "$natively" "$1" native <idle 2>native.messages || echo "status $?"; } | cat >native.answers
[ "$(cat native.answers)" != "status 126" ] || { echo "this machine runs no i386 programs: skipped"; exit 77; }
[ "$(wc -l <native.answers)" -gt 100 ] || { echo "natively it says little:"; cat native.answers native.messages; exit 1; }
case $1 in
*waits*)
    : | "$natively" "$1" native hung >native.hung
    : | timeout 600 "$2" run -q "$1" /tmp hung >guest.hung || { echo "it waits for an input that hung up"; exit 1; }
    diff native.hung guest.hung
    ;;
esac
for place in /share /tmp; do
    { timeout 600 "$2" run -q --dir guest:/share:rw "$1" $place <idle 2>guest.messages || echo "status $?"; } | cat >guest.answers
    diff native.answers guest.answers || { echo "in $place:"; cat guest.messages; exit 1; }
done
