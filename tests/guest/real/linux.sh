#!/bin/sh
# linux.sh DIR: builds from Debian's sources, after build.sh DIR (its musl and its apt state),
#   DIR/linux/vmlinux   DIR/linux/bzImage     a small kernel for the Pentium MMX: serial port, VGA console, initrd
#   DIR/linux/bzImage-drivers                 the same with drivers for APICs, diskettes, IDE disks and their file systems (linux-drivers.config)
#   DIR/linux/busybox                         a shell and a few commands
#   DIR/linux/pipes   DIR/linux/disks         programs that need a kernel
# A second run with the same compiler and scripts does nothing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dir=$(cd "$1" && pwd)/linux
guests=$(dirname "$dir") apt=$(dirname "$dir")/apt
. "$here/sources.sh"

stamp=$({ gcc -dumpfullversion; cat "$here/linux.sh" "$here"/*.config "$here/pipes.c" "$here/disks.c" "$guests/stamp"; } | sha256sum)
if [ -f "$dir/stamp" ] && [ "$(cat "$dir/stamp")" = "$stamp" ]; then
    exit 0
fi
rm -rf "$dir/stamp" "$dir/source" "$dir/build"
mkdir -p "$dir/source" "$dir/build"

# ---- Sources: upstream's, as Debian keeps them ----------------------------------------------------------------------
bring() {
    [ -n "$(find "$dir" -maxdepth 1 -name "$1_*.orig.tar.*")" ] && return
    (cd "$dir" && download "$1") >"$dir/fetch.log" 2>&1 || { tail -20 "$dir/fetch.log"; fail "apt cannot fetch $1; the log is $dir/fetch.log"; }
}
bring linux
bring busybox
for archive in "$dir"/*.orig.tar.*; do
    tar -C "$dir/source" -xf "$archive"
done
linux=$(echo "$dir"/source/linux-*) busybox=$(echo "$dir"/source/busybox-*)

# settle FILE OPTIONS: OPTIONS' lines take the place of what FILE says of the same symbols.
settle() {
    sed 's/=.*//' "$2" | while read -r symbol; do
        sed -i "/^$symbol=/d; /^# $symbol is not set/d" "$1"
    done
    cat "$2" >>"$1"
}

# ---- Linux ----------------------------------------------------------------------------------------------------------
echo "linux    $(basename "$linux")"
(
    export KBUILD_BUILD_TIMESTAMP='Thu Jan 2 00:00:00 UTC 1997' KBUILD_BUILD_USER=p5scope KBUILD_BUILD_HOST=p5scope
    make -s -C "$linux" ARCH=i386 O="$dir/build" tinyconfig
    settle "$dir/build/.config" "$here/linux.config"
    make -s -C "$linux" ARCH=i386 O="$dir/build" olddefconfig
    make -s -C "$linux" ARCH=i386 O="$dir/build" -j"$(nproc)" bzImage
    make -s -C "$linux" ARCH=i386 O="$dir/build" headers
    cp "$dir/build/vmlinux" "$dir/build/arch/x86/boot/bzImage" "$dir"
    settle "$dir/build/.config" "$here/linux-drivers.config"
    make -s -C "$linux" ARCH=i386 O="$dir/build" olddefconfig
    make -s -C "$linux" ARCH=i386 O="$dir/build" -j"$(nproc)" bzImage
    cp "$dir/build/arch/x86/boot/bzImage" "$dir/bzImage-drivers"
) >"$dir/linux.log" 2>&1 || { tail -20 "$dir/linux.log"; fail "the kernel does not build; the log is $dir/linux.log"; }

# ---- busybox --------------------------------------------------------------------------------------------------------
echo "busybox  $(basename "$busybox")"
flags="-O2 -march=pentium-mmx -fcf-protection=none -fno-stack-protector -fno-pie -fno-asynchronous-unwind-tables -nostdinc"
flags="$flags -isystem $guests/musl/include -isystem $dir/build/usr/include -isystem $(gcc -print-file-name=include)"
(
    cd "$busybox"
    make -s allnoconfig
    settle .config "$here/busybox.config"
    yes '' | make -s oldconfig
    # the objects by its own rules, the program as all guests are linked
    make -s -j"$(nproc)" CC="gcc -m32" CFLAGS="$flags" busybox_unstripped || true
    gcc -m32 -nostdlib -static -no-pie -Wl,--build-id=none -Wl,--gc-sections -o "$dir/busybox" "$guests/musl/lib/crt1.o" "$guests/musl/lib/crti.o" \
        -Wl,--start-group $(find . -name built-in.o -o -name lib.a | sort) "$guests/musl/lib/libc.a" "$guests/divide.o" -Wl,--end-group \
        "$guests/musl/lib/crtn.o"
) >"$dir/busybox.log" 2>&1 || { tail -20 "$dir/busybox.log"; fail "busybox does not build; the log is $dir/busybox.log"; }
# ---- Programs that need a kernel ------------------------------------------------------------------------------------
for name in pipes disks; do
    gcc -m32 -std=gnu99 $flags -c "$here/$name.c" -o "$dir/$name.o"
    gcc -m32 -nostdlib -static -no-pie -Wl,--build-id=none -o "$dir/$name" "$guests/musl/lib/crt1.o" "$guests/musl/lib/crti.o" "$dir/$name.o" \
        -Wl,--start-group "$guests/musl/lib/libc.a" "$guests/divide.o" -Wl,--end-group "$guests/musl/lib/crtn.o"
done
rm -rf "$dir/source" "$dir/build"
echo "$stamp" >"$dir/stamp"
