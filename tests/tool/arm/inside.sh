#!/bin/sh
# inside.sh SYSROOT COMMAND...: runs COMMAND where programs for aarch64 are run by qemu-user like any other; only there, by a name space of its
# own. Needs Linux 6.7, from which on name spaces have their own list of interpreters; root is not needed.
set -eu
if [ "$1" != --in ]; then
    QEMU_LD_PREFIX=$(cd "$1" && pwd)
    export QEMU_LD_PREFIX
    shift
    exec unshare --user --map-root-user --mount "$0" --in "$@"
fi
shift
list=/proc/sys/fs/binfmt_misc
magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
mount -t binfmt_misc none $list || { echo "inside.sh: no list of interpreters for a name space here (Linux 6.7)" >&2; exit 1; }
printf ':p5scope-aarch64:M::%s:%s:%s:' "$magic" "$mask" "$(command -v qemu-aarch64)" >$list/register
exec "$@"
