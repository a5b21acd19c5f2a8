#!/bin/sh
# check.sh BUILD SOURCE WAY [GUEST]: installs BUILD into an empty folder and builds SOURCE/docs/examples against it by WAY ("cmake", "pkg-config"), a C++ program ("c++"), or
# compiles every installed header alone as C and as C++ ("headers"), or looks for what else must be there ("files").
set -eu
build=$1 source=$2 way=$3 guest=${4:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAIL: $*" >&2; exit 1; }

cmake --install "$build" --prefix "$work/installed" >"$work/log" 2>&1 || { cat "$work/log"; fail "it does not install"; }
# Moved, so that a path of the build or of the first place would be noticed.
mv "$work/installed" "$work/prefix"
prefix=$work/prefix
libdir=$(dirname "$(find "$prefix" -name pkgconfig -type d)")
export PKG_CONFIG_PATH="$libdir/pkgconfig" LD_LIBRARY_PATH="$libdir"

# The examples' output: an exact loop, 2 clocks a trip once it is in the caches, and all of the guest's output and status.
check_examples() {
    "$1" >"$work/price" || fail "price_loop ended with status $?"
    awk '{ value[$1] = $NF }
         END {
             trips = 1000
             if (value["instructions"] != 4 * trips) { print "expected instructions " 4 * trips; exit 1 }
             if (value["clocks"] < 2 * trips || value["clocks"] > 2 * trips + 200) { print "expected clocks of 2 a trip, up to 200 to begin with"; exit 1 }
             if (value["in"] < 2 * trips - 20 || value["in"] > 2 * trips) { print "expected 2 a trip in the V pipe"; exit 1 }
         }' "$work/price" >"$work/why" || { cat "$work/price"; fail "price_loop: $(cat "$work/why")"; }
    [ -n "$guest" ] || return 0
    "$2" "$guest" >"$work/count" || fail "count_guest ended with status $?"
    grep -q '^Hello' "$work/count" || { cat "$work/count"; fail "count_guest: the guest's line is missing"; }
    awk '$2 == "clocks" { clocks = $1 } $2 == "instructions_executed" { instructions = $1 }
         END { exit !(clocks > instructions / 2 && instructions > 10) }' "$work/count" ||
        { cat "$work/count"; fail "count_guest: expected instructions, and at least half as many clocks"; }
    "$3" "$guest" >"$work/watch" || fail "watch_guest ended with status $?"
    # Its hottest places cannot cost more than the whole run, and the run is that of count_guest.
    awk -v clocks="$(awk '$2 == "clocks" { print $1 }' "$work/count")" \
        '/^code at/ { places += $(NF - 1); n++ } /^system calls/ { calls = $3 + 0 } /^instructions/ { total = $NF }
         END { exit !(n >= 1 && n <= 5 && places > 0 && places <= total && total > clocks * 0.9 && total <= clocks && calls >= 2) }' "$work/watch" ||
        { cat "$work/watch"; fail "watch_guest: its clocks are not those of count_guest"; }
}

# The ten-line programs: one of two instructions that pair is in the V pipe; a guest of any kind runs.
check_short() {
    [ "$("$1")" = 1 ] || fail "count_code: expected 1 instruction in the V pipe, came $("$1")"
    [ -z "$guest" ] || "$2" "$guest" | grep -qE '^[0-9]+ clocks$' || fail "run_guest prints no clocks"
}

# The test of a guest's counts passes, and fails for a guest that reads 999 words.
check_test() {
    nasm -f bin "$source/docs/examples/sum.asm" -o "$work/sum.bin"
    "$1" "$work/sum.bin" >"$work/log" 2>&1 || { cat "$work/log"; fail "test_sum fails"; }
    sed "s/ecx, 1000/ecx, 999/" "$source/docs/examples/sum.asm" >"$work/less.asm"
    nasm -f bin "$work/less.asm" -o "$work/less.bin"
    if "$1" "$work/less.bin" >"$work/log" 2>&1; then fail "test_sum passes with 999 words"; fi
    grep -q "data_read: expected 1000, came 999" "$work/log" || { cat "$work/log"; fail "test_sum does not say what is wrong"; }
}

case $way in
cmake)
    cmake -S "$source/docs/examples" -B "$work/out" -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" 2>&1 &&
        cmake --build "$work/out" >>"$work/log" 2>&1 || { cat "$work/log"; fail "the examples do not build by find_package"; }
    check_examples "$work/out/price_loop" "$work/out/count_guest" "$work/out/watch_guest"
    check_short "$work/out/count_code" "$work/out/run_guest"
    check_test "$work/out/test_sum"
    ;;
pkg-config)
    for pair in price_loop:p5core count_guest:p5scope watch_guest:p5scope test_sum:p5scope short/count_code:p5scope short/run_guest:p5scope; do
        name=${pair%:*} package=${pair#*:}
        pkg-config --exists --print-errors "$package" || fail "pkg-config does not know $package"
        # word splitting is what pkg-config is made for
        cc "$source/docs/examples/$name.c" -o "$work/${name#short/}" $(pkg-config --cflags --libs "$package" cmocka) || fail "$name does not build by pkg-config"
    done
    check_examples "$work/price_loop" "$work/count_guest" "$work/watch_guest"
    check_short "$work/count_code" "$work/run_guest"
    check_test "$work/test_sum"
    ;;
headers)
    for header in "$prefix"/include/p5scope/*.h; do
        name=$(basename "$header")
        printf '#include <p5scope/%s>\nint main(void) { return 0; }\n' "$name" >"$work/one.c"
        cp "$work/one.c" "$work/one.cc"
        cc -std=c11 -Wall -Wextra -Werror -I"$prefix/include" -c "$work/one.c" -o "$work/one.o" || fail "$name alone as C"
        c++ -Wall -Wextra -Werror -I"$prefix/include" -c "$work/one.cc" -o "$work/one.o" || fail "$name alone as C++"
    done
    ;;
c++)
    c++ -Wall -Wextra -Werror -Wno-missing-field-initializers "$source/tests/tool/install/cxx.cc" -o "$work/cxx" $(pkg-config --cflags --libs p5scope cmocka) || fail "a C++ program does not build"
    [ -n "$guest" ] || exit 0
    "$work/cxx" "$guest" >"$work/log" || { cat "$work/log"; fail "the C++ program ended with status $?"; }
    grep -qE '^[0-9]+ instructions$' "$work/log" || { cat "$work/log"; fail "the C++ program did not count"; }
    ;;
files)
    [ "$("$prefix/bin/p5scope" --version | head -n 1)" = "p5scope $(pkg-config --modversion p5scope)" ] || fail "program and package have different versions"
    for file in share/bash-completion/completions/p5scope share/zsh/site-functions/_p5scope share/fish/vendor_completions.d/p5scope.fish \
        share/man/man1/p5scope.1 share/man/man7/p5scope-events.7 share/man/man7/p5scope-owners.7 share/man/man5/p5scope-metrics.5 share/man/man7/p5scope-board.7 \
        share/doc/p5scope/LICENSE share/doc/p5scope/examples/count_guest.c share/doc/p5scope/gtkwave share/p5scope/models/p55c-200.ini \
        share/p5scope/events/events.tsv share/doc/p5scope/schemas/stat.json; do
        [ -e "$prefix/$file" ] || fail "$file is not installed"
    done
    # Python finds the module if the prefix is /usr/local.
    if looked=$(/usr/bin/python3 -c 'import sys; print(*(p[11:] for p in sys.path if p.startswith("/usr/local/")))') && [ -n "$looked" ]; then
        (cd "$prefix" && for folder in $looked; do [ ! -e "$folder/p5scope/_declarations.h" ] || exit 0; done; exit 1) || fail "no Python module in $looked"
    fi
    # A module anywhere finds the library of its own prefix.
    if /usr/bin/python3 -c 'import cffi' 2>/dev/null; then
        module=$(dirname "$(dirname "$(find "$prefix" -name _declarations.h)")")
        got=$(env -u LD_LIBRARY_PATH -u P5SCOPE_LIBRARY PYTHONPATH="$module" /usr/bin/python3 -c 'import p5scope; print(p5scope.version())') || fail "Python does not find the library"
        [ "$got" = "$(pkg-config --modversion p5scope)" ] || fail "Python finds another library: $got"
    fi
    # Each link of an installed document leads to something that is installed.
    find "$prefix/share/doc/p5scope" -name '*.md' | while read -r document; do
        grep -oE '\]\([^)#]+' "$document" | cut -c3- | grep -v '^https\?:' | while read -r link; do
            [ -e "$(dirname "$document")/$link" ] || echo "${document#"$prefix/"}: $link"
        done
    done >"$work/broken"
    [ ! -s "$work/broken" ] || { cat "$work/broken"; fail "links of installed documents lead nowhere"; }
    # Nothing may be visible but what the headers declare: a program's own functions could collide with the rest, or call it.
    [ ! -e "$prefix/include/p5tool" ] || fail "the headers of the tool are installed"
    grep -ohE '\bp5_[a-z0-9_]+' "$prefix"/include/p5scope/*.h | sort -u >"$work/declared"
    for library in "$libdir"/*.a "$libdir"/*.so; do
        dynamic=
        [ "${library%.so}" = "$library" ] || dynamic=-D
        nm $dynamic --defined-only --extern-only "$library" | awk 'NF == 3 && $2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u >"$work/visible"
        [ -s "$work/visible" ] || fail "$library shows nothing"
        foreign=$(comm -13 "$work/declared" "$work/visible")
        [ -z "$foreign" ] || fail "$library shows $foreign"
    done
    ;;
*) fail "no way '$way'" ;;
esac
