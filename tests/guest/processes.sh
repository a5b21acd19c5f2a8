#!/bin/sh
# processes.sh P5SCOPE PROGRAM: a guest that needs a real kernel gets errors, and one notice says how to run it on one.
set -e
said=$("$1" run "$2" 2>&1)
expect() { # COUNT TEXT
    [ "$(printf '%s\n' "$said" | grep -cF "$2; use a real kernel: p5scope run --kernel BZIMAGE --init PROGRAM")" = "$1" ] && return
    printf 'expected %s time: %s\ngot: %s\n' "$1" "$2" "$said"
    exit 1
}
for call in "2 (fork, clone, execve)" "11 (fork, clone, execve)" "120 (fork, clone, execve)" "190 (fork, clone, execve)" "435 (fork, clone, execve)" \
    "254 (epoll)" "329 (epoll)" "323 (eventfd)" "328 (eventfd)" "259 (timer_create)"; do
    expect 1 "system call $call is not supported, and the guest got ENOSYS"
done
expect 1 "mmap: files cannot be mapped shared (use MAP_PRIVATE)"
