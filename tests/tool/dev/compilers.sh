# shellcheck shell=bash disable=SC2154 # ./dev sources this file and defines the lists of packages.
# The verb compilers: the same counts, whatever the compiler.

#: compilers [COMPILER...] - build with these compilers (default: every gcc from 12 and clang from 14 of this release) without warnings, and compare the counts of guests to the bit
verb_compilers() {
    local compilers=("$@") compiler
    [ $# -gt 0 ] || mapfile -t compilers < <(apt-cache search --names-only '^(gcc-1[2-9]|clang-1[4-9])$' | sed 's/ .*//')
    need "${packages_build[@]}" "${packages_programs[@]}" "${packages_test[@]}" "${packages_guests[@]}" "${compilers[@]}"
    build test p5scope testprogs
    build_guests
    for compiler in "${compilers[@]}"; do
        say "$compiler"
        cmake --preset release -B "build/compilers/$compiler" --log-level=WARNING -DCMAKE_C_COMPILER="$compiler" -DCMAKE_COMPILE_WARNING_AS_ERROR=ON >/dev/null
        cmake --build "build/compilers/$compiler" -j "$(cores)" --target p5scope
        tests/guest/programs/compilers.sh build/test/p5scope "build/compilers/$compiler/p5scope" build/test/testprogs build/guests
    done
}
