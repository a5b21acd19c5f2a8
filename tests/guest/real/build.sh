#!/bin/sh
# build.sh DIR: fetches Debian's sources of musl, zlib and Lua and builds from them, as static programs for the Pentium,
#   DIR/minigzip   DIR/lua   DIR/scripts/*.lua   DIR/text
# Nothing of the system's apt configuration or state is touched: sources list, state and cache lie in DIR. A second run with the
# same compiler and scripts does nothing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
dir=$(cd "$1" && pwd)

. "$here/sources.sh"
stamp=$({ $cc -dumpfullversion; cat "$here"/build.sh "$here"/sources.sh "$here"/divide.c "$here"/*.lua; } | sha256sum)
if [ -f "$dir/stamp" ] && [ "$(cat "$dir/stamp")" = "$stamp" ]; then
    exit 0
fi
rm -f "$dir/stamp"

# ---- Build ----------------------------------------------------------------------------------------------------------
build_musl() {
    source=$(unpacked musl)
    rm -rf "$dir/musl" "$dir/musl-build"
    mkdir -p "$dir/musl-build"
    (
        cd "$dir/musl-build"
        "$source/configure" --target=i586-linux-musl --prefix="$dir/musl" --disable-shared --disable-wrapper \
            CC="$cc -m32" AR=ar RANLIB=ranlib CFLAGS="$flags" LIBCC=
        make -j"$cores" install
    ) >"$dir/musl.log" 2>&1 || { tail -20 "$dir/musl.log"; fail "musl does not build; the log is $dir/musl.log"; }
    $cc -m32 $flags -ffreestanding -Wall -Wextra -c "$here/divide.c" -o "$dir/divide.o"
}

# compile NAME SOURCE-FOLDER FLAGS... -- FILE...: builds DIR/NAME against musl.
compile() {
    name=$1 source=$2
    shift 2
    mkdir -p "$dir/$name.objects"
    extra=
    while [ "$1" != -- ]; do
        extra="$extra $1"
        shift
    done
    shift
    for file; do
        printf '%s\n' "$file"
    done | xargs -P "$cores" -I FILE sh -c "$cc -m32 -std=gnu99 $flags -nostdinc -isystem '$dir/musl/include' $extra"' -c "'"$source"'/FILE" \
        -o "'"$dir/$name.objects"'/$(basename FILE .c).o"' >"$dir/$name.log" 2>&1 ||
        { tail -20 "$dir/$name.log"; fail "$name does not build; the log is $dir/$name.log"; }
    $cc -m32 -nostdlib -static -no-pie -Wl,--build-id=none -o "$dir/$name" "$dir/musl/lib/crt1.o" "$dir/musl/lib/crti.o" \
        "$dir/$name.objects"/*.o -Wl,--start-group "$dir/musl/lib/libc.a" "$dir/divide.o" -Wl,--end-group "$dir/musl/lib/crtn.o" ||
        fail "$name does not link"
    "$here/../programs/isa.sh" "$dir/$name"
}

build_minigzip() {
    source=$(unpacked zlib)
    (cd "$source" && ls ./*.c) | sed 's,^\./,,' >"$dir/files"
    compile minigzip "$source" -D_LARGEFILE64_SOURCE=0 -DHAVE_UNISTD_H -DHAVE_STDARG_H -DNO_VIZ -I"$source" -- $(cat "$dir/files") test/minigzip.c
}

build_lua() {
    source=$(unpacked lua5.4)/src
    # Debian's search path for modules names its architecture in a header that its package build writes.
    echo '#define DEB_HOST_MULTIARCH "i386-linux-musl"' >"$source/lua5.4-deb-multiarch.h"
    (cd "$source" && ls ./*.c) | sed 's,^\./,,' | grep -v '^luac\.c$' >"$dir/files"
    compile lua "$source" -DLUA_USE_POSIX -I"$source" -- $(cat "$dir/files")
}

rm -rf "$dir/source"
fetch musl zlib lua5.4
echo "musl     $(basename "$(unpacked musl)")"
build_musl
echo "minigzip $(basename "$(unpacked zlib)")"
build_minigzip
echo "lua      $(basename "$(unpacked lua5.4)")"
build_lua
mkdir -p "$dir/scripts"
cp "$here"/*.lua "$dir/scripts/"
# 200 KB of text that is neither constant nor random.
awk 'BEGIN { for (n = 1; n <= 4000; n++) printf "line %d: %d squared is %d, modulo 97 it is %d\n", n, n, n * n, n * n % 97 }' >"$dir/text"
echo "$stamp" >"$dir/stamp"
