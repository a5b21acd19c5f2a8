#!/bin/sh
# programs.sh DIR: builds real programs for ./dev bench programs and others from Debian's sources, statically with the musl that build.sh has put into DIR:
#   DIR/programs/{bzip2,busybox,sqlite3,tcc,mujs,lame,digests,mpg123,bc,jpeg,djpeg,lz4,zstd,xz,m4}   DIR/programs/in/*: what they work on
# A second run with the same compiler and scripts does nothing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
base=$(cd "$1" && pwd)
dir=$base/programs
mkdir -p "$dir/in"
. "$here/sources.sh"
[ -f "$base/stamp" ] || fail "no guests in $base: build.sh comes first"
stamp=$({ $cc -dumpfullversion; cat "$base/stamp" "$here"/programs.sh "$here"/sources.sh "$here"/digests.c "$here"/programs/*; } | sha256sum)
if [ -f "$dir/stamp" ] && [ "$(cat "$dir/stamp")" = "$stamp" ]; then
    exit 0
fi
rm -rf "$dir/stamp" "$dir/source"

# A compiler for configure scripts and makefiles that know nothing of musl.
cat >"$dir/cc" <<END
#!/bin/sh
flags="-m32 $flags -nostdinc -isystem $base/musl/include"
for a; do case \$a in -c | -E | -S | -M | -MM | -r | --version | -v | -dumpmachine) exec $cc \$flags "\$@" ;; esac done
exec $cc \$flags -nostdlib -static -no-pie -Wl,--build-id=none -L$base/musl/lib $base/musl/lib/crt1.o $base/musl/lib/crti.o "\$@" \\
    -Wl,--start-group $base/musl/lib/libc.a $base/divide.o -Wl,--end-group $base/musl/lib/crtn.o
END
chmod +x "$dir/cc"

# in_source PACKAGE FUNCTION: runs it there
in_source() {
    echo "$2  $(basename "$(unpacked "$1")")"
    (cd "$(unpacked "$1")" && set -e && "build_$2") >"$dir/$2.log" 2>&1 || { tail -20 "$dir/$2.log"; fail "$2 does not build; the log is $dir/$2.log"; }
    "$here/../programs/isa.sh" "$dir/$2"
}

build_bzip2() {
    "$dir/cc" -D_FILE_OFFSET_BITS=64 -o "$dir/bzip2" blocksort.c huffman.c crctable.c randtable.c compress.c decompress.c bzlib.c bzip2.c
}

build_tcc() {
    ./configure --cpu=i386 --cc="$dir/cc" --config-musl
    "$dir/cc" -w -DONE_SOURCE=1 -DTCC_TARGET_I386 -I. -o "$dir/tcc" tcc.c
    # it compiles itself
    "$dir/tcc" -E -P -nostdinc -I "$base/musl/include" -I . -I include -DONE_SOURCE=1 -DTCC_TARGET_I386 tcc.c >"$dir/in/tcc.c"
}

build_mujs() { "$dir/cc" -w -std=c99 -D_GNU_SOURCE -o "$dir/mujs" one.c main.c; }

build_sqlite3() {
    CC=$cc ./configure --disable-tcl --disable-readline
    make sqlite3.c shell.c
    "$dir/cc" -w -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -I. -o "$dir/sqlite3" shell.c sqlite3.c
}

build_busybox() {
    make allnoconfig
    for option in ASH AWK SORT SHA1SUM SHA256SUM SHA512SUM MD5SUM GZIP STATIC LFS ASH_ECHO ASH_TEST ASH_PRINTF FEATURE_SH_MATH \
        ASH_INTERNAL_GLOB FEATURE_SORT_BIG; do
        sed -i "s/# CONFIG_$option is not set/CONFIG_$option=y/" .config
    done
    yes '' | make oldconfig
    make -j"$cores" CC="$dir/cc" LD="ld -m elf_i386" SKIP_STRIP=y busybox_unstripped
    cp busybox_unstripped "$dir/busybox"
}

build_lame() {
    # its routines for nasm are for whatever later processor is found
    CC=$dir/cc ac_cv_path_NASM=no ./configure --host=i586-linux-musl --disable-shared --disable-decoder --disable-gtktest
    make -j"$cores"
    cp frontend/lame "$dir/lame"
}

build_digests() {
    CC=$dir/cc CC_FOR_BUILD=$cc ./configure --host=i586-linux-musl --disable-shared --disable-assembler --disable-public-key \
        --disable-documentation --disable-openssl
    make -j"$cores" libnettle.a
    "$dir/cc" -I. -o "$dir/digests" "$here/digests.c" libnettle.a
}

# MMX and x87
build_mpg123() {
    CC=$dir/cc ./configure --host=i586-linux-musl --disable-shared --enable-static --with-cpu=mmx --with-audio=dummy --disable-modules --disable-network
    make -j"$cores" src/mpg123
    cp src/mpg123 "$dir/mpg123"
}

build_bc() {
    CC=$dir/cc ./configure --host=i586-linux-musl --without-readline --without-libedit
    make AUTOMAKE=: ACLOCAL=: AUTOCONF=: AUTOHEADER=: MAKEINFO=: -C lib
    make AUTOMAKE=: ACLOCAL=: AUTOCONF=: AUTOHEADER=: MAKEINFO=: -C bc bc
    cp bc/bc "$dir/bc"
}

build_jpeg() {
    cmake -B build -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=i586 -DCMAKE_C_COMPILER="$dir/cc" -DCMAKE_BUILD_TYPE=None \
        -DENABLE_SHARED=0 -DWITH_SIMD=0 -DWITH_TURBOJPEG=0
    make -C build -j"$cores" cjpeg-static djpeg-static
    cp build/djpeg-static "$dir/djpeg"
    cp build/cjpeg-static "$dir/jpeg"
}

build_lz4() { "$dir/cc" -w -Ilib -o "$dir/lz4" programs/*.c lib/*.c; }

build_zstd() {
    "$dir/cc" -w -DXXH_NAMESPACE=ZSTD_ -DZSTD_LEGACY_SUPPORT=0 -Ilib -Ilib/common -Ilib/dictBuilder -o "$dir/zstd" programs/*.c \
        lib/common/*.c lib/compress/*.c lib/decompress/*.c lib/dictBuilder/*.c
}

build_xz() {
    CC=$dir/cc ./configure --host=i586-linux-musl --disable-shared --disable-threads --disable-nls --disable-assembler --disable-doc
    make AUTOMAKE=: ACLOCAL=: AUTOCONF=: AUTOHEADER=: -j"$cores" -C src
    cp src/xz/xz "$dir/xz"
}

build_m4() {
    CC=$dir/cc ./configure --host=i586-linux-musl --disable-nls
    make AUTOMAKE=: ACLOCAL=: AUTOCONF=: AUTOHEADER=: MAKEINFO=: -j"$cores" -C lib
    make AUTOMAKE=: ACLOCAL=: AUTOCONF=: AUTOHEADER=: MAKEINFO=: -C src m4
    cp src/m4 "$dir/m4"
}

fetch bzip2 busybox sqlite3 tcc nettle mujs lame mpg123 bc libjpeg-turbo lz4 libzstd xz-utils m4
in_source bzip2 bzip2
in_source tcc tcc
in_source mujs mujs
in_source sqlite3 sqlite3
in_source busybox busybox
in_source lame lame
in_source nettle digests
in_source mpg123 mpg123
in_source bc bc
in_source libjpeg-turbo jpeg
in_source lz4 lz4
in_source libzstd zstd
in_source xz-utils xz
in_source m4 m4

cp "$here"/programs/* "$dir/in/"
head -c 100000 "$base/text" >"$dir/in/text"
# 2 s of a tone that wanders, in 16 bits; a picture
python3 - "$dir/in/tone.wav" "$dir/in/picture.ppm" <<'END'
import math, struct, sys
samples = [int(9000 * math.sin(i * .05 + math.sin(i * .0007) * 8) + 3000 * math.sin(i * .31) + (i * 7919 % 977 - 488) * 3) for i in range(88200)]
data = struct.pack('<%dh' % len(samples), *samples)
head = struct.pack('<IHHIIHH', 16, 1, 1, 44100, 88200, 2, 16)
open(sys.argv[1], 'wb').write(b'RIFF' + struct.pack('<I', 36 + len(data)) + b'WAVEfmt ' + head + b'data' + struct.pack('<I', len(data)) + data)
image = bytes(v for y in range(480) for x in range(640) for v in (x * y >> 8 & 255, x * x + y * y >> 9 & 255, (x ^ y) & 255))
open(sys.argv[2], 'wb').write(b'P6 640 480 255\n' + image)
END
"$dir/jpeg" <"$dir/in/picture.ppm" >"$dir/in/picture.jpeg"
for packer in lz4 zstd xz; do "$dir/$packer" -q -c <"$base/text" >"$dir/in/text.$packer"; done
"$dir/lame" --quiet -b 64 -m m "$dir/in/tone.wav" "$dir/in/tone.mp3"
echo "$stamp" >"$dir/stamp"
