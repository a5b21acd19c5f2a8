#!/bin/sh
# console.sh BUILD SOURCE PAGE: runs every `$ command` that stands in a console block of PAGE (relative to SOURCE) and compares what it prints
# with the lines that follow there. P5_REBASE=1 writes the page anew. --here: in SOURCE itself, with BUILD for nothing but its p5scope.
set -u
here=
[ "$1" != --here ] || { here=1; shift; }
build=$1 source=$2 page=$2/$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A clone as its reader has it: build/release is the build at hand.
if [ -z "$here" ]; then
    mkdir -p "$work/clone/build"
    ln -s "$build" "$work/clone/build/release"
    for entry in docs tests testprogs; do ln -s "$source/$entry" "$work/clone/$entry"; done
else
    ln -s "$source" "$work/clone"
fi
export PATH="$build:$PATH" LC_ALL=C NO_COLOR=1
unset ARGP_HELP_FMT COLUMNS 2>/dev/null

cd "$work/clone" || exit 1
block=
while IFS= read -r line; do
    case $line in
    '```console') block=1 ;;
    '```') block= ;;
    esac
    if [ -z "$block" ] || [ "$line" = '```console' ]; then
        printf '%s\n' "$line"
        continue
    fi
    case $line in
    '$ '*)
        printf '%s\n' "$line"
        # what the host's speed decides is left as one word
        sh -c "${line#\$ }" 2>&1 </dev/null | sed -e 's/^ *[0-9.]* seconds on the host.*/       ... seconds on the host/' -e 's/ *$//'
        ;;
    esac
done <"$page" >"$work/page"

if [ -n "${P5_REBASE:-}" ]; then
    cp "$work/page" "$page"
    echo "rebased $page"
elif ! diff -u "$page" "$work/page"; then
    echo "FAIL: $3 does not show what the program prints (if the new text is right: P5_REBASE=1)"
    exit 1
fi
