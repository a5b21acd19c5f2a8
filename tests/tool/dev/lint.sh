# shellcheck shell=bash disable=SC2154 # ./dev sources this file and defines the lists of packages.
# The verb lint: compilers' warnings, format and static analysis.
packages_lint=(clang clang-format clang-tidy cppcheck)

#: lint - run clang with warnings as errors, clang-format, cppcheck, clang-tidy, and the check of includes between floors
verb_lint() {
    need "${packages_build[@]}" "${packages_programs[@]}" "${packages_test[@]}" "${packages_oracles[@]}" "${packages_lint[@]}"
    say "Floors"
    tests/lint/floors.sh
    say "clang, warnings as errors"
    build clang
    say "Every clang of this release, warnings as errors"
    local clangs
    mapfile -t clangs < <(apt-cache search --names-only '^clang-1[4-9]$' | sed 's/ .*//')
    need "${clangs[@]}" jq
    tests/lint/clangs.sh build/clang "${clangs[@]}"
    say "clang-format"
    git ls-files '*.c' '*.h' | xargs clang-format --dry-run --Werror
    say "cppcheck"
    cppcheck --quiet --error-exitcode=1 --enable=warning,performance,portability --inline-suppr --std=c11 -j "$(cores)" \
        --suppressions-list=tests/lint/cppcheck.txt -Iinclude -Isrc -Ibuild/clang/generated src
    say "clang-tidy"
    git ls-files 'src/*.c' | xargs -P "$(cores)" -n 4 clang-tidy --quiet --warnings-as-errors='*' -p build/clang 2>/dev/null
    printf '\nlint: no findings\n'
}
