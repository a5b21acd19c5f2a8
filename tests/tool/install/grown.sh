#!/bin/sh
# grown.sh SOURCE WORK: a program that was compiled against today's headers runs with a library whose structs are larger. Each struct of the
# public headers that begins with `size` gets 64 bytes more at its end, and the library is built with these headers in WORK.
set -eu
source=$1 work=$2
fail() { echo "FAIL: $*" >&2; exit 1; }

mkdir -p "$work/tree"
for part in CMakeLists.txt cmake src events docs README.md CHANGELOG.md LICENSE python tests testprogs; do
    rm -rf "${work:?}/tree/$part"
    cp -a "$source/$part" "$work/tree/$part"
done
rm -rf "$work/tree/include"
cp -a "$source/include" "$work/tree/include"
for header in "$work"/tree/include/p5scope/*.h; do
    # The member goes before the closing line of a struct that began with `size_t size`.
    awk '/^typedef struct p5_[a-z_]+ \{/ { name = $3; sized = 0 }
         name != "" && /^ +size_t size;/ && first { sized = 1 }
         { first = /^typedef struct/ }
         name != "" && $0 == "} " name ";" { if (sized) { print "    unsigned char later_[64];"; n++ } name = "" }
         { print }
         END { print FILENAME ": " n + 0 > "/dev/stderr" }' "$header" >"$work/header" 2>>"$work/grown"
    cp "$work/header" "$header"
done
[ "$(grep -h later_ "$work"/tree/include/p5scope/*.h | wc -l)" -ge 15 ] || fail "only a few structs have grown"

cmake -S "$work/tree" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DBUILD_TESTING=OFF -DP5_TESTPROGS=OFF ${P5_LAUNCHER:+-DCMAKE_C_COMPILER_LAUNCHER=$P5_LAUNCHER} >"$work/log" 2>&1 &&
    cmake --build "$work/build" --target p5scope_shared >>"$work/log" 2>&1 || { tail -20 "$work/log"; fail "the grown library does not build"; }

headers="-I$source/include -I$work/build/generated"
cc "$source/tests/tool/install/grown.c" -o "$work/client" $headers "$work/build/package/libp5scope.so" || fail "the client does not build"
LD_LIBRARY_PATH="$work/build/package" "$work/client" || fail "the client ended with status $?"
# The library has larger structs than the client.
cc -DSIZES "$source/tests/tool/install/grown.c" -o "$work/sizes" $headers "$work/build/package/libp5scope.so"
cc -DSIZES "$source/tests/tool/install/grown.c" -o "$work/sizes.later" -I"$work/tree/include" -I"$work/build/generated" "$work/build/package/libp5scope.so"
echo "sizes: $(LD_LIBRARY_PATH="$work/build/package" "$work/sizes"), later: $(LD_LIBRARY_PATH="$work/build/package" "$work/sizes.later")"
