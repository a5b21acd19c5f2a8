#!/bin/sh
# transcript.sh BUILD SOURCE PAGE...: installs BUILD into an empty folder and runs every `$ command` of docs/examples/PAGE with nothing but what is
# installed there and the examples' files. What they print has to be what stands in the page; P5_REBASE=1 writes the pages anew.
set -eu
build=$1 source=$2
shift 2
for tool in as ld nasm jq; do command -v $tool >/dev/null || { echo "no $tool: skipped"; exit 77; }; done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" >"$work/log" 2>&1 || { cat "$work/log"; echo "FAIL: it does not install"; exit 1; }
status=0
for page in "$@"; do
    rm -rf "$work/build" "$work/clone"
    mkdir -p "$work/build" "$work/clone/docs"
    ln -s "$work/prefix/bin/p5scope" "$work/build/p5scope"
    cp "$source"/docs/examples/* "$work/clone/docs" 2>/dev/null || :
    sh "$source/tests/tool/docs/console.sh" --here "$work/build" "$work/clone/docs" "$page" >"$work/out" || { cat "$work/out"; status=1; }
    [ -z "${P5_REBASE:-}" ] || cp "$work/clone/docs/$page" "$source/docs/examples/$page"
done
exit $status
