#!/bin/sh
# build.sh DIR: builds from Debian's sources of GMP, OpenSSL and Linux the guests DIR/gmp.elf, DIR/openssl.elf and DIR/linux.elf, which call
# routines of these and print what each call takes. A second run with the same compiler and files does nothing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
dir=$(cd "$1" && pwd)
. "$here/../guest/real/sources.sh"

stamp=$({ $cc -dumpfullversion; cat "$here"/build.sh "$here"/*.[ch] "$here"/config.m4 "$here"/published.ld "$here"/../guest/real/sources.sh; } | sha256sum)
if [ -f "$dir/stamp" ] && [ "$(cat "$dir/stamp")" = "$stamp" ]; then
    exit 0
fi
rm -rf "$dir/stamp" "$dir/source" "$dir/work" "$dir"/*.elf
mkdir -p "$dir/work"
compile="$cc -m32 -std=gnu11 -O2 -march=pentium -ffreestanding -fno-pie -fcf-protection=none -fno-stack-protector -fno-asynchronous-unwind-tables -I$here"

# link NAME: DIR/NAME.elf from NAME.c, the driver and the objects of the current folder
link() {
    $compile -Wall -Wextra -I. -c "$here/$1.c" -o program.o
    $compile -Wall -Wextra -c "$here/driver.c" -o driver.o
    $compile -nostdlib -static -no-pie -Wl,--build-id=none,--no-warn-rwx-segments -T "$here/published.ld" ./*.o -o "$dir/$1.elf"
}

# ---- GMP ------------------------------------------------------------------------------------------------------------
# assemble PREFIX FILE [OPERATION]: mpn/x86/FILE.asm, with PREFIX before its symbols
assemble() {
    name=$1-$(basename "$2")${3:+-$3}
    m4 -DSOURCE="$gmp" -DPREFIX="$1_" ${3:+-DOPERATION_$3} "$gmp/mpn/x86/$2.asm" >"$name.s"
    $compile -c "$name.s" -o "$name.o"
}

build_gmp() {
    # The files include ../config.m4.
    for operation in add_n sub_n; do
        assemble p5 pentium/aors_n $operation
        assemble x86 aors_n $operation
    done
    for operation in addmul_1 submul_1; do
        assemble p5 pentium/aorsmul_1 $operation
    done
    assemble x86 aorsmul_1 addmul_1
    for operation in and_n ior_n xor_n andn_n iorn_n nand_n nior_n xnor_n; do
        assemble p5 pentium/logops_n $operation
    done
    for file in mul_1 mul_2 com copyi copyd lshift rshift hamdist popcount mod_34lsub1 mode1o mul_basecase sqr_basecase dive_1 bdiv_q_1; do
        assemble p5 pentium/$file
    done
    for file in lshift rshift mul_1; do
        assemble p55 pentium/mmx/$file
    done
    for operation in hamdist popcount; do # hamdist of pentium/mmx is this file
        assemble p55 k6/mmx/popham $operation
    done
    for file in mul_1 copyi copyd lshift rshift mod_34lsub1 mul_basecase divrem_1 dive_1 bdiv_q_1; do
        assemble x86 $file
    done
    link gmp
}

# ---- OpenSSL --------------------------------------------------------------------------------------------------------
# generate SCRIPT NAME: crypto/SCRIPT.pl writes NAME.S, as the build for Linux has it
generate() {
    CC=$cc perl "$openssl/crypto/$1.pl" elf -DOPENSSL_IA32_SSE2 586 "$2.S"
}

build_openssl() {
    for script in sha/asm/sha1-586 sha/asm/sha256-586 sha/asm/sha512-586 rc4/asm/rc4-586 chacha/asm/chacha-x86 poly1305/asm/poly1305-x86 \
        modes/asm/ghash-x86 aes/asm/aes-586; do
        generate $script "$(basename $script)"
    done
    # The source has a switch for the second figure of its table.
    sed -i 's/^\$small_footprint=1;/$small_footprint=0;/' "$openssl/crypto/aes/asm/aes-586.pl"
    generate aes/asm/aes-586 unrolled
    cmp -s aes-586.S unrolled.S && return 1
    sed -i 's/\<AES_/unrolled_AES_/g' unrolled.S
    for file in *.S; do
        $compile -c "$file"
    done
    link openssl
}

# ---- Linux ----------------------------------------------------------------------------------------------------------
build_linux() {
    archive=$(find "$dir/../linux" -maxdepth 1 -name 'linux_*.orig.tar.*' 2>/dev/null | head -n 1) # brought by linux.sh
    if [ -z "$archive" ]; then
        download linux
        archive=$(ls linux_*.orig.tar.*)
    fi
    tar -x --strip-components=1 -f "$archive" --wildcards '*/arch/x86/include/asm/xor_32.h' '*/include/asm-generic/xor.h'
    # One header, without what the two include and the routines for SSE
    sed -i '/^ *#include/d' include/asm-generic/xor.h
    sed -e '/^#include <asm-generic\/xor.h>/r include/asm-generic/xor.h' -e '/xor_block_pIII_sse = {/,/^};/d' arch/x86/include/asm/xor_32.h |
        sed '/^ *#include/d' >xor_32.h
    link linux
}

# build NAME: build_NAME in a folder of its own. (After || the shell would continue after what fails.)
build() {
    mkdir "$dir/work/$1"
    set +e
    (set -ex && cd "$dir/work/$1" && "build_$1") >"$dir/$1.log" 2>&1
    status=$?
    set -e
    [ $status = 0 ] || { tail -20 "$dir/$1.log"; fail "$1 does not build; the log is $dir/$1.log"; }
}

fetch gmp openssl
gmp=$(unpacked gmp) openssl=$(unpacked openssl)
cp "$here/config.m4" "$dir/work/config.m4"
echo "published: $(basename "$gmp"), $(basename "$openssl"), Linux"
build gmp
build openssl
build linux
rm -rf "$dir/work" "$dir/source"
echo "$stamp" >"$dir/stamp"
