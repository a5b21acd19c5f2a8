#!/bin/sh
# processes.sh P5SCOPE PROGRAM: a guest that wants processes is told how it has them.
set -e
said=$("$1" run "$2" 2>&1)
for call in 2 11 120 190 435; do
    expected="system call $call: a guest cannot start processes, threads or other programs; with a real kernel it can: p5scope run --kernel BZIMAGE --init PROGRAM"
    case $said in
    *"$expected"*) ;;
    *)
        printf 'expected: %s\ngot: %s\n' "$expected" "$said"
        exit 1
        ;;
    esac
done
