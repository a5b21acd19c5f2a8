#!/bin/sh
# quiet.sh SOURCE BUILD GUEST: the library prints nothing, and its files and errors are the same in a locale with a decimal comma. GUEST is a freestanding
# ELF file.
set -eu
source=$1 build=$2 guest=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAIL: $*" >&2; exit 1; }
localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" 2>"$work/log" || { echo "SKIP: no locale with a decimal comma: the package locales is not installed"; exit 77; }
export LOCPATH="$work"
library=$build/package
"${CC:-cc}" "$source/tests/tool/install/quiet.c" -o "$work/quiet" -I"$source/include" -I"$build/generated" "$library/libp5scope.so" || fail "quiet.c does not build"
for locale in C de_DE.UTF-8; do
    mkdir "$work/$locale.d"
    printf '[model]\nbase = p55c-200\n[processor]\nclock_mhz = 66.5\n' >"$work/$locale.d/model.ini"
    (cd "$work/$locale.d" && LD_LIBRARY_PATH="$library" "$work/quiet" . "$guest" "$locale") >"$work/out" 2>"$work/err" || { cat "$work/err"; fail "$locale: the client fails"; }
    [ ! -s "$work/out" ] || { cat "$work/out"; fail "$locale: the library writes to stdout"; }
    [ ! -s "$work/err" ] || { cat "$work/err"; fail "$locale: the library writes to stderr"; }
done
diff -r "$work/C.d" "$work/de_DE.UTF-8.d" >"$work/log" || { head -n 20 "$work/log"; fail "files depend on the locale"; }
