#!/bin/sh
# clangs.sh BUILD CLANG...: no source that BUILD's compile_commands.json names has a warning by any of these compilers.
set -eu
commands=$1/compile_commands.json
shift
for clang; do
    jq -r '.[] | "cd " + (.directory | @sh) + " && " + .command' "$commands" |
        sed -n "s, && [^ ]*clang , \&\& $clang -fsyntax-only -Werror ,p" | sed 's, -o [^ ]*\.o , ,' |
        tr '\n' '\0' | xargs -0 -P "$(nproc)" -n 1 sh -c || { echo "FAIL: $clang has something to say"; exit 1; }
    echo "ok $clang"
done
