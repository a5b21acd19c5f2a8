# shellcheck shell=bash disable=SC2154 # ./dev sources this file and defines the lists of packages.
# The verb packages: Debian's packages.
packages_packages=(debhelper dh-python dpkg-dev lintian pkgconf python3 scdoc)

#: packages - build Debian's packages of this tree, into build/packages
#: packages check [SUITE...] - build them in trees of both releases, run lintian, and install, use and remove them in a fresh tree (needs root)
verb_packages() {
    if [ "${1-}" = check ]; then
        shift
        [ "$(id -u)" = 0 ] || fail "packages check needs root: it installs packages in trees of releases"
        need "${packages_build[@]}" "${packages_programs[@]}"
        [ $# -gt 0 ] || set -- bookworm trixie
        build release p5scope testprogs
        for suite; do
            release_tree "$suite"
            release_tree "$suite" -fresh
            unshare --mount --propagation private "$0" packages_inside "$suite"
        done
        return
    fi
    rm -rf build/packages
    copy_tree build/packages/p5scope
    build/packages/p5scope/dev packages_build
    rm -rf build/packages/p5scope
    ls build/packages
}

# Builds the packages of this tree, a copy, into its parent folder.
verb_packages_build() {
    need "${packages_build[@]}" "${packages_packages[@]}"
    dpkg-buildpackage -us -uc -b -j"$(cores)"
    lintian --fail-on error,warning ../*.changes
}

# Does the work of `packages check` for one release in its own name space.
verb_packages_inside() {
    local root=$PWD/build/elsewhere/$1 fresh=$PWD/build/elsewhere/$1-fresh over=$PWD/build/elsewhere/$1-over
    enter_tree "$root"
    rm -rf "$root/packages"
    copy_tree "$root/packages/p5scope"
    inside /packages/p5scope/dev packages_build
    say "In a fresh $1"
    rm -rf "$over"
    mkdir -p "$over/upper" "$over/work" "$over/root"
    mount -t overlay overlay -o "lowerdir=$fresh,upperdir=$over/upper,workdir=$over/work" "$over/root"
    enter_tree "$over/root"
    mkdir -p "$over/root/check/source"
    cp "$root"/packages/*.deb tests/tool/packages/check.sh "$over/root/check"
    cp build/release/testprogs/quicksort "$over/root/check/guest"
    (cd "$over/root/check" && "$OLDPWD/build/release/p5scope" stat -q -o counts guest 1 >/dev/null)
    grep -v ' options: \| on the host\|^ p5scope ' "$over/root/check/counts" >"$over/root/check/expected"
    tar -c events docs/examples tests/tool/python | tar -x -C "$over/root/check/source"
    inside /check/check.sh
}
