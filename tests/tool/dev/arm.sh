# shellcheck shell=bash disable=SC2154 # ./dev sources this file and defines the lists of packages.
# The verb arm: tests for another architecture of the host.
packages_arm=(gcc-aarch64-linux-gnu g++-aarch64-linux-gnu qemu-user)
packages_arm_root=(libc6-dev libunicorn-dev libcapstone-dev libinih-dev libelf-dev libdw-dev libzstd-dev libsqlite3-dev libseccomp-dev libncurses-dev libpng-dev libcmocka-dev libzydis-dev libstdc++-12-dev)

#: arm [CTEST-OPTION...] - build for aarch64, compare its counts with this build's to the bit, and run the tests under qemu-user, without fuzzers and oracles
verb_arm() {
    need "${packages_build[@]}" "${packages_programs[@]}" "${packages_test[@]}" "${packages_guests[@]}" "${packages_arm[@]}"
    say "Building, and for aarch64"
    tests/tool/arm/sysroot.sh build/arm-root "${packages_arm_root[@]}"
    build test p5scope testprogs
    build arm
    build_guests
    say "Comparing"
    tests/tool/arm/inside.sh build/arm-root tests/guest/programs/compilers.sh build/test/p5scope build/arm/p5scope build/test/testprogs build/guests
    say "Testing"
    local run_tests_inside=(tests/tool/arm/inside.sh build/arm-root)
    run_tests arm -LE 'fuzz|differential' "$@" # these take hours, and mostly run programs of this machine
}
