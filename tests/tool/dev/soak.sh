# shellcheck shell=bash disable=SC2154 # ./dev sources this file and defines the lists of packages.
# The verb soak: the long campaigns.
packages_soak=(slurm-wlm munge faketime) # the cluster of docs/sweeps.md

#: interface [COMMIT] - compare the library's binary interface with that of the last release, or of COMMIT; a change that breaks programs fails
verb_interface() {
    need "${packages_build[@]}" abigail-tools gdb python3
    local last=${1-} work=$PWD/build/interface tree
    [ -n "$last" ] || last=$(git describe --tags --abbrev=0 --match 'v*' 2>/dev/null) || { say "interface: skipped, because there is no tag of an earlier release"; return; }
    say "The library's binary interface since $last"
    rm -rf "$work" && mkdir -p "$work/last" "$work/now"
    git archive "$last" | tar -C "$work/last" -x
    git archive HEAD | tar -C "$work/now" -x
    for tree in last now; do
        cmake -S "$work/$tree" -B "$work/$tree/build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DBUILD_TESTING=OFF -DP5_TESTPROGS=OFF ${P5_LAUNCHER:+-DCMAKE_C_COMPILER_LAUNCHER=$P5_LAUNCHER} >"$work/log"
        cmake --build "$work/$tree/build" -j "$(cores)" --target p5scope_shared >>"$work/log"
    done
    tests/tool/install/interface.py "$work/last" "$work/now"
}

#: soak - run the long campaigns: property tests with large counts, published, disturb, compilers, elsewhere, packages check, arm, sanitizers, then campaign and fuzz for five minutes each
verb_soak() {
    need "${packages_build[@]}" "${packages_programs[@]}" "${packages_test[@]}" "${packages_oracles[@]}" "${packages_soak[@]}"
    build test
    run_tests test -C Soak -L soak
    verb_published
    verb_disturb
    verb_compilers
    say "The same bits whatever the host does"
    build clang p5scope
    build asan p5scope
    tests/guest/programs/everywhere.sh "$PWD/build/test/testprogs" "$PWD/build/guests" 20 "$PWD"/build/{test,clang,asan}/p5scope
    verb_elsewhere
    verb_elsewhere compilers
    verb_packages check
    say "A client of these headers with a library whose structs have grown"
    tests/tool/install/grown.sh "$PWD" "$PWD/build/test" "$PWD/build/grown"
    verb_interface
    say "The source tarball"
    verb_tarball
    verb_arm
    say "Threads under the thread sanitizer"
    build tsan unit_base_spsc property_apart property_threads trace_apart testprogs
    build/tsan/tests/unit/unit_base_spsc
    build/tsan/tests/tool/trace/trace_apart build/tsan/testprogs
    build/tsan/tests/property/property_apart build/tsan/testprogs
    build/tsan/tests/property/property_threads build/tsan/testprogs
    verb_campaign 300
    verb_fuzz 300
}
