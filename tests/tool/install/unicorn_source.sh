#!/bin/sh
# unicorn_source.sh BUILD SOURCE ARCHIVE HEADERS: P5_UNICORN_SOURCE builds what it is given, with its options, and looks inside. The source tree is a
# stand-in that leaves the installed archive in two parts, as Unicorn does, and fails unless it is built as p5scope wants it.
set -eu
build=$1 source=$2 archive=$3 headers=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAIL: $*" >&2; exit 1; }

mkdir -p "$work/unicorn/include"
cp -r "$headers/unicorn" "$work/unicorn/include/unicorn"
cat >"$work/unicorn/part.c" <<'END'
#ifndef P5_OPTION
#error P5_UNICORN_FLAGS do not arrive
#endif
int p5_part(void);
int p5_part(void) { return 1; }
END
cat >"$work/unicorn/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.5)
project(unicorn C)
if(NOT UNICORN_ARCH STREQUAL x86 OR BUILD_SHARED_LIBS OR UNICORN_BUILD_TESTS OR UNICORN_INSTALL)
  message(FATAL_ERROR "expected x86 only, static, without tests")
endif()
add_library(unicorn-common STATIC part.c)
add_custom_target(unicorn COMMAND \${CMAKE_COMMAND} -E copy $archive \${CMAKE_BINARY_DIR}/libunicorn.a DEPENDS unicorn-common)
END
configure() { cmake -S "$source" -B "$work/out" -G Ninja -DBUILD_TESTING=OFF -DP5_TESTPROGS=OFF -DP5_UNICORN_FLAGS=-DP5_OPTION "$@" >"$work/log" 2>&1; }
if configure -DP5_UNICORN_SOURCE="$work"; then fail "a folder without Unicorn is taken for its source"; fi
grep -q "is not Unicorn's source tree" "$work/log" || { cat "$work/log"; fail "a folder without Unicorn: no such error"; }
configure -DP5_UNICORN_SOURCE="$work/unicorn" || { cat "$work/log"; fail "it does not configure"; }
cmake --build "$work/out" --target unicorn_layout >"$work/log" 2>&1 || { cat "$work/log"; fail "it does not build"; }
cmp "$work/out/generated/unicorn_layout.h" "$build/generated/unicorn_layout.h" || fail "it is laid out otherwise than the same archive installed"
nm "$work/out/unicorn/libp5unicorn.a" 2>/dev/null | grep -q " T p5_part" || fail "a part is missing in the joined archive"

# An archive without the x86 processor is refused with what it lacks.
printf 'int uc_open(void);\nint uc_open(void) { return 0; }\n' | cc -x c -c - -o "$work/none.o"
ar rc "$work/none.a" "$work/none.o"
if cmake -DNM=nm -DARCHIVE="$work/none.a" "-DNAMES=tlb_flush;cpu_exec" -DPROGRAM="$work/none.o" -DOUTPUT="$work/symbols" \
    -P "$source/src/engine/unicorn/symbols.cmake" >"$work/log" 2>&1; then fail "an archive without the processor is taken"; fi
tr -s '\n ' ' ' <"$work/log" | grep -q "lacks tlb_flush_x86_64 cpu_exec_x86_64" || { cat "$work/log"; fail "what is missing is not said"; }
