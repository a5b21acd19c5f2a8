#!/bin/bash
# natively.sh PROGRAM [ARGUMENT...]: runs a guest program on this machine, with what p5scope gives a guest: umask 022, and no descriptors but 0 to 2.
umask 022
for descriptor in /proc/self/fd/*; do
    descriptor=${descriptor##*/}
    [ "$descriptor" -le 2 ] || [ "$descriptor" = 255 ] || eval "exec $descriptor>&-" # bash reads this file by 255, and closes it itself
done
exec "$@"
