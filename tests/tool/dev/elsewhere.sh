# shellcheck shell=bash disable=SC2154 # ./dev sources this file and defines the lists of packages.
# The verb elsewhere: the other Debian release, in a folder of the build.

# release_tree SUITE [SUFFIX]: makes a tree of that Debian release at build/elsewhere/SUITESUFFIX, unless it exists.
release_tree() {
    need debootstrap
    local root=$PWD/build/elsewhere/$1${2-}
    if [ ! -e "$root.ready" ]; then
        say "A tree of $1"
        rm -rf "$root"
        mkdir -p "$root"
        debootstrap --variant=minbase "$1" "$root" >"$root.log" || fail "debootstrap failed; its output is in $root.log"
        touch "$root.ready"
    fi
}

# enter_tree ROOT [FOLDER...]: defines inside(), which runs a command in ROOT with this machine's devices and FOLDERs. The caller has a mount
# name space of its own.
enter_tree() {
    local root=$1 folder
    for folder in proc sys dev dev/pts "${@:2}"; do
        mkdir -p "$root/$folder"
        mount --bind "/${folder#/}" "$root/$folder"
    done
    # shellcheck disable=SC2064
    eval "inside() { chroot '$root' /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \"\$@\"; }"
}

# copy_tree FOLDER: copies the files that git knows or would add to FOLDER, and keeps what was built there.
copy_tree() {
    mkdir -p "$1"
    find "$1" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
    git ls-files -z --cached --others --exclude-standard | xargs -0 tar -c | tar -x -C "$1"
}

# own_release: prints the code name of this machine's release.
own_release() {
    # shellcheck disable=SC1091
    (. /etc/os-release && echo "${VERSION_CODENAME-}")
}

#: elsewhere - run demo and test in the other Debian release, in a folder of the build, and compare its counts to the bit (needs root)
#: elsewhere VERB [ARGUMENT...] - run another verb there
verb_elsewhere() {
    [ "$(id -u)" = 0 ] || fail "elsewhere needs root: it makes a tree of another release and works in it"
    local suite=trixie
    [ "$(own_release)" != trixie ] || suite=bookworm
    need "${packages_build[@]}" "${packages_programs[@]}" "${packages_guests[@]}"
    release_tree "$suite"
    # A name space of its own leaves nothing mounted.
    unshare --mount --propagation private "$0" elsewhere_inside "$PWD/build/elsewhere/$suite" "$@"
}

# Does the work of `elsewhere` in its own name space. ROOT has a copy of this tree at /p5scope, and this tree at the same path as here.
verb_elsewhere_inside() {
    local root=$1 other=$1.p5scope
    enter_tree "$root" tmp "$PWD"
    copy_tree "$root/p5scope"
    if [ $# -gt 1 ]; then
        inside /p5scope/dev "${@:2}"
        return
    fi
    inside /p5scope/dev demo
    inside /p5scope/dev test
    say "Here"
    build test p5scope testprogs
    build_guests
    say "Comparing"
    printf '#!/bin/sh\nexec chroot %s /usr/bin/env -C "$PWD" /p5scope/build/test/p5scope "$@"\n' "'$root'" >"$other"
    chmod +x "$other"
    tests/guest/programs/compilers.sh build/test/p5scope "$other" "$PWD/build/test/testprogs" "$PWD/build/guests"
}
