# shellcheck shell=bash disable=SC2154 # ./dev sources this file and defines the lists of packages.
# The verbs of a release (docs/releasing.md).

project_version() { sed -n 's/^project(p5scope VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt; }

#: tarball [CTEST-OPTION...] - write the source tarball of HEAD to build, and build, install and test it without git and network
verb_tarball() {
    need "${packages_build[@]}" "${packages_programs[@]}" "${packages_test[@]}" "${packages_oracles[@]}" "${packages_boot[@]}" xz-utils iproute2
    local name archive work
    name=p5scope-$(project_version)
    archive=$PWD/build/$name.tar.xz
    build test manual documents
    work=$(mktemp -d)
    tarball_write "$work" "$name" "$archive"
    say "$archive: $(git rev-parse --short HEAD), $(stat -c %s "$archive") bytes"
    tar -C "$work" -xJf "$archive"
    mkdir "$work/bin"
    printf '#!/bin/sh\necho "git was called" >&2\nexit 1\n' >"$work/bin/git"
    chmod +x "$work/bin/git"
    # The network of this name space has a loopback device only, which gdb needs.
    as_root env PATH="$work/bin:$PATH" P5_LAUNCHER="${P5_LAUNCHER-}" unshare --net "$work/$name/dev" tarball_inside "$@"
    as_root rm -rf "$work"
}

# Does the work of `tarball` in the unpacked tree.
verb_tarball_inside() {
    ip link set lo up
    say "Building without scdoc, so that the man pages are those of the tarball"
    cmake --preset test --log-level=WARNING -DP5_SCDOC:FILEPATH=OFF ${P5_LAUNCHER:+-DCMAKE_C_COMPILER_LAUNCHER=$P5_LAUNCHER} >/dev/null
    build test
    cmake --install build/test --prefix "$PWD/installed" >/dev/null
    [ -s installed/share/man/man1/p5scope.1 ] || fail "the man pages are not installed"
    [ "$(installed/bin/p5scope --version | head -n 1)" = "p5scope $(project_version)" ] || fail "the version is not $(project_version)"
    installed/bin/p5scope stat build/test/testprogs/hello
    say "Testing"
    run_tests test "$@"
    awk '/\*\*\*Skipped/ { print "  skipped:", $4 }' build/test/ctest.txt
}

# tarball_write WORK NAME ARCHIVE: writes what git has at HEAD and, in generated/, what a build makes by scdoc and Python.
tarball_write() {
    local work=$1 name=$2 archive=$3 page
    mkdir -p "$work/$name/generated/docs"
    cp build/test/docs/*.md "$work/$name/generated/docs"
    for page in build/test/package/p5scope*.[157]; do
        install -D -m 644 -t "$work/$name/generated/man/man${page##*.}" "$page"
    done
    git archive --prefix="$name/" HEAD >"$work/tar"
    tar -C "$work" --owner=0 --group=0 --sort=name --mtime="@$(git log -1 --format=%ct)" -rf "$work/tar" "$name/generated"
    xz -T0 <"$work/tar" >"$archive"
    rm -rf "${work:?}/$name" "$work/tar"
}

# passed NAME: notes that the long check NAME has passed at HEAD.
passed() {
    mkdir -p build/passed
    printf '%s %s\n' "$(git rev-parse HEAD)" "$(date -u +%F)" >"build/passed/$1"
}

# One line of the check list: WHAT, and a command that prints what is wrong or a detail, and fails if the release cannot be made.
release_check() {
    local what=$1 text
    shift
    if text=$("$@" 2>&1); then
        printf 'ok    %-22s %s\n' "$what" "$text"
    else
        printf 'open  %-22s %s\n' "$what" "$text"
        release_open=$((release_open + 1))
    fi
}
release_clean() { [ -z "$(git status --porcelain)" ] || { echo "git status lists changes"; return 1; }; }
release_dated() {
    ! grep -q '^## .* - unreleased' CHANGELOG.md || { echo "CHANGELOG.md has an unreleased version"; return 1; }
}
release_new() { ! git rev-parse -q --verify "refs/tags/v$(project_version)" >/dev/null || { echo "tag v$(project_version) exists"; return 1; }; }
# A long check has passed at HEAD, or at a commit since which only documents have changed.
release_passed() {
    local commit day
    read -r commit day 2>/dev/null <"build/passed/$1" || { echo "has not passed here: ./dev $1"; return 1; }
    echo "$day, $(git rev-list --count "$commit..HEAD") commits ago"
    git diff --quiet "$commit" HEAD -- . ':!*.md' ':!docs'
}

#: release [--dry-run] - check what docs/releasing.md lists; without --dry-run, tag HEAD if nothing is open
verb_release() {
    local release_open=0 name
    say "p5scope $(project_version), commit $(git rev-parse --short HEAD)"
    release_check "clean tree" release_clean
    release_check "one version" tests/lint/version.sh .
    release_check "dated changelog" release_dated
    release_check "new tag" release_new
    release_check "public headers" tests/lint/api.py .
    for name in test tarball packages arm published bench soak; do
        release_check "$name" release_passed "$name"
    done
    printf '\n%s open\n' "$release_open"
    [ "${1:-}" != --dry-run ] || return 0
    [ "$release_open" = 0 ] || fail "close what is open first"
    git tag -a "v$(project_version)" -m "p5scope $(project_version)"
}
