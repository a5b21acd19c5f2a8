#!/bin/sh
# quota.sh P5SCOPE PROGRAM: quota.c in a share of 1 MB, and what the host finds there.
set -e
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
"$1" run -q --dir "$here:/share:rw,max=1M" "$2" /share
[ "$(find "$here" -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum }')" -le 1048576 ]
