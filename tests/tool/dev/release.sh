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

# ---- The check list ----

# checked NAME STATUS: notes how the long check NAME ended, for ./dev release. A tree without git has no commit to note.
checked() {
    local commit tree=clean outcome=passed
    commit=$(git rev-parse -q --verify HEAD 2>/dev/null) || return 0
    [ -z "$(git status --porcelain)" ] || tree=dirty
    [ "$2" = 0 ] || outcome=failed
    mkdir -p build/checked
    printf '%s %s %s %s\n' "$outcome" "$commit" "$(date -u +%F)" "$tree" >"build/checked/$1"
}

# release_row RESULT ITEM TEXT: prints a line of the check list. Every result but `ok` keeps the release open.
release_row() {
    printf '%-8s %-18s %s\n' "$1" "$2" "$3"
    [ "$1" = ok ] || release_open=$((release_open + 1))
}

# release_check ITEM COMMAND...: a row for a check that is made now. The command prints a detail, or what is wrong.
release_check() {
    local item=$1 result=ok text
    shift
    text=$("$@" 2>&1) || result=failed
    release_row "$result" "$item" "$(tr '\n' ';' <<<"$text" | sed 's/;$//; s/;/; /g')"
}
release_clean() {
    local changes
    changes=$(git status --porcelain | wc -l)
    [ "$changes" = 0 ] && git log -1 --format='HEAD is %h of %as' || { echo "git status lists $changes changes: commit or remove them"; return 1; }
}
release_version() { tests/lint/version.sh . && echo "$(project_version) in CMakeLists.txt, CHANGELOG.md, debian/changelog and CITATION.cff"; }
release_dated() {
    local version
    version=$(project_version)
    sed -n "s/^## $version - \([0-9-]*\)$/\1/p" CHANGELOG.md | grep . || { echo "CHANGELOG.md has no line '## $version - YEAR-MONTH-DAY'"; return 1; }
}
release_new() {
    local tag
    tag=v$(project_version)
    ! git rev-parse -q --verify "refs/tags/$tag" >/dev/null || { echo "the tag $tag exists: raise the version"; return 1; }
    echo "$tag"
}

# release_long ITEM VERB...: a row for a check that takes long. It has passed here, at HEAD or at a commit since which only documents have changed.
release_long() {
    local item=$1 verb=$2 outcome commit day tree at changed
    shift
    if ! read -r outcome commit day tree 2>/dev/null <"build/checked/$verb"; then
        release_row missing "$item" "never run here: ./dev $*"
        return
    fi
    at="on $day at ${commit:0:8}"
    if [ "$outcome" = failed ]; then
        release_row failed "$item" "failed $at: ./dev $*"
    elif [ "$tree" = dirty ]; then
        release_row old "$item" "passed $at with uncommitted changes: ./dev $*"
    elif ! changed=$(git diff --name-only "$commit" HEAD -- . ':!*.md' ':!*.scd' 2>/dev/null | wc -l) || ! git merge-base --is-ancestor "$commit" HEAD 2>/dev/null; then
        release_row old "$item" "passed $at, which is not an ancestor of HEAD: ./dev $*"
    elif [ "$changed" != 0 ]; then
        release_row old "$item" "passed $at, since when $changed files other than documents have changed: ./dev $*"
    else
        release_row ok "$item" "passed $at, $(git rev-list --count "$commit..HEAD") commits ago"
    fi
}

#: release [--dry-run] - print the check list of docs/releasing.md with the result of each item; without --dry-run, tag HEAD if nothing is open
verb_release() {
    local release_open=0
    [ $# = 0 ] || [ "$*" = --dry-run ] || fail "release takes --dry-run only, not '$*'"
    say "p5scope $(project_version), commit $(git rev-parse --short HEAD)"
    release_check "clean tree" release_clean
    release_check "one version" release_version
    release_check "dated changelog" release_dated
    release_check "new tag" release_new
    release_check "public headers" tests/lint/api.py .
    release_long "test" test
    release_long "both distributions" elsewhere
    release_long "ARM" arm
    release_long "tarball" tarball
    release_long "packages" packages check
    if git describe --tags --match 'v*' >/dev/null 2>&1; then
        release_long "interface" interface
    else
        release_row ok "interface" "there is no earlier release to compare with"
    fi
    release_long "published figures" published
    release_long "benchmarks" bench
    release_long "soak" soak
    printf '\n%s open\n' "$release_open"
    [ "${1:-}" != --dry-run ] || return 0
    [ "$release_open" = 0 ] || fail "close what is open first"
    git tag -a "v$(project_version)" -m "p5scope $(project_version)"
}
