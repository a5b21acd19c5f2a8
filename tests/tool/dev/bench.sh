# shellcheck shell=bash disable=SC2154 # ./dev sources this file and defines the lists of packages.
# The verb bench: speed measurements.

#: bench [PAIRS] [--write] - compare the speed with cachegrind and the bare engine; --write renews docs/performance.md
#: bench programs [PAIRS] [--write] - the same for real programs, built from Debian's sources
#: bench others [PAIRS] [--write] - the same for programs that p5scope was not optimised for
#: bench worst [RUNS] [--write] - measure code that is slow in p5scope: new code, misses, mispredictions, self-modifying code
#: bench kernel [RUNS] [--write] - measure Linux as a guest: boots, pipes, a shell's loop, processes
#: bench long [MILLIONS] [--write] - check that a run of 10,000 million instructions keeps its speed and its memory
#: bench outputs [PAIRS] [--write] - measure what profile, intervals and each trace format cost, compared with stat
verb_bench() {
    need "${packages_build[@]}" "${packages_programs[@]}" valgrind time
    build release p5scope testprogs bare alone
    if [ "${1-}" = long ]; then
        tests/bench/long.sh build/release "${@:2}"
    elif [ "${1-}" = outputs ]; then
        tests/bench/outputs.sh build/release "${@:2}"
    elif [ "${1-}" = worst ]; then
        tests/bench/worst.sh build/release "${@:2}"
    elif [ "${1-}" = kernel ]; then
        need "${packages_guests[@]}"
        build_guests
        tests/bench/kernel.sh build/release build/guests "${@:2}"
    else
        if [ "${1-}" = programs ] || [ "${1-}" = others ]; then
            need "${packages_guests[@]}" python3 tcl ed # bc needs ed
            build_guests
            tests/guest/real/programs.sh build/guests
        fi
        tests/bench/run.sh build/release "$@"
    fi
}
