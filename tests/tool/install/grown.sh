#!/bin/sh
# grown.sh SOURCE BUILD [WORK]: a program and a library whose structs have different sizes work together. Each struct of the public headers that
# begins with `size` gets eight members more at its end, as p5scope/status.h says.
#
# - A client of these larger structs runs with BUILD's library. It is told if it sets what the library lacks.
# - With WORK, the library is built in that folder with the larger structs, and a client of today's headers runs with it.
set -eu
source=$1 build=$2
fail() { echo "FAIL: $*" >&2; exit 1; }

if [ $# = 3 ]; then
    work=$3
    mkdir -p "$work"
else
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
fi
tests=$source/tests/tool/install

rm -rf "$work/include"
cp -a "$source/include" "$work/include"
: >"$work/grown"
for header in "$source"/include/p5scope/*.h; do
    # The member goes before the closing line of a struct that began with `size_t size`.
    awk -v names="$work/grown" '
         /^typedef struct p5_[a-z_]+ \{/ { name = $3; sized = 0 }
         name != "" && /^ +size_t size;/ && first { sized = 1 }
         { first = /^typedef struct/ }
         name != "" && $0 == "} " name ";" { if (sized) { print "    uint64_t later_[8];"; print name >>names } name = "" }
         { print }' "$header" >"$work/include/p5scope/${header##*/}"
done
sort -o "$work/grown" "$work/grown"

# run NAME INCLUDE LIBRARY OPTION...: compiles the client with the headers of INCLUDE, and runs it with LIBRARY.
printf '\272\0\003\354\314\240\0\174\353\366' >"$work/boot"
printf '\125\252' | dd of="$work/boot" bs=1 seek=510 2>/dev/null
run() {
    name=$1 include=$2 library=$3
    shift 3
    "${CC:-cc}" "$@" "$tests/grown.c" -o "$work/$name" -I"$include" -I"$build/generated" "$library/libp5scope.so" || fail "$name does not build"
    LD_LIBRARY_PATH="$library" "$work/$name" "$work/boot" "$work/snapshot" >"$work/names" || fail "$name ended with status $?"
    sort "$work/names" | diff "$work/grown" - || fail "$name: the client must pass every struct that begins with size"
}
run later "$work/include" "$build/package" -DLATER
echo "A client of larger structs runs with this library: $(wc -l <"$work/grown") structs"
[ $# = 3 ] || exit 0

mkdir -p "$work/tree"
for part in "$source"/*; do
    [ "${part##*/}" = build ] || { rm -rf "$work/tree/${part##*/}" && cp -a "$part" "$work/tree"; }
done
rm -rf "$work/tree/include"
cp -a "$work/include" "$work/tree"
cmake -S "$work/tree" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DBUILD_TESTING=OFF -DP5_TESTPROGS=OFF ${P5_LAUNCHER:+-DCMAKE_C_COMPILER_LAUNCHER=$P5_LAUNCHER} >"$work/log" 2>&1 &&
    cmake --build "$work/build" --target p5scope_shared >>"$work/log" 2>&1 || { tail -20 "$work/log"; fail "the library with larger structs does not build"; }
run client "$source/include" "$work/build/package"
echo "A client of these structs runs with a library of larger ones"
