# shellcheck shell=bash disable=SC2154 # ./dev sources this file and defines the lists of packages.
# The verbs campaign and fuzz: fuzzing with sanitizers.

#: campaign [SECONDS [FOLDER]] - run each fuzzer's seeds with sanitizers for SECONDS (default 300), from where the last campaign of FOLDER (default build/campaign) stopped
verb_campaign() {
    need "${packages_build[@]}" "${packages_test[@]}"
    build asan fuzzers
    local seconds=${1:-300} folder=${2:-build/campaign} fuzzer name failed=
    mkdir -p "$folder/found"
    for fuzzer in build/asan/tests/fuzz/fuzz_*; do
        [ -f "$fuzzer" ] && [ -x "$fuzzer" ] || continue
        name=$(basename "$fuzzer")
        say "$name for $seconds s"
        "$fuzzer" --seconds "$seconds" --state "$folder/$name" --keep "$folder/found" "tests/fuzz/corpus/$name" || failed+=" $name"
    done
    tests/fuzz/figures.sh "$folder" docs/reliability.md
    [ -z "$failed" ] || fail "found something:$failed; inputs are in $folder/found"
}

#: fuzz [SECONDS] - run each fuzzer under libFuzzer for SECONDS (default 60)
verb_fuzz() {
    need "${packages_build[@]}" "${packages_test[@]}" "${packages_oracles[@]}" clang
    build fuzz fuzzers
    local seconds=${1:-60} fuzzer name
    for fuzzer in build/fuzz/tests/fuzz/fuzz_*; do
        [ -f "$fuzzer" ] && [ -x "$fuzzer" ] || continue
        name=$(basename "$fuzzer")
        mkdir -p "build/fuzz/corpus/$name" "tests/fuzz/corpus/$name"
        say "$name for $seconds s"
        "$fuzzer" -max_total_time="$seconds" -len_control=10 -print_final_stats=1 -artifact_prefix="build/fuzz/$name-" \
            "build/fuzz/corpus/$name" "tests/fuzz/corpus/$name"
    done
}
