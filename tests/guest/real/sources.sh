# Sourced by the build scripts: Debian's source packages through a private apt configuration. The scripts set `dir`, and `apt` if another script has read the lists.
# shellcheck shell=sh disable=SC2154
fail() { echo "$(basename "$0"): $*" >&2; exit 1; }

cc=$(command -v gcc-12 || command -v i686-linux-gnu-gcc-12 || command -v gcc || command -v i686-linux-gnu-gcc) # as in CMakeLists.txt
# i586 code only: no CMOV, no long NOPs for alignment, no ENDBR. libgcc is left out; divide.c stands in for it.
flags="-O2 -g1 -march=pentium-mmx -fcf-protection=none -fno-stack-protector -fno-pie -fno-asynchronous-unwind-tables"
cores=$(nproc)

: "${apt:=$dir/apt}" # the lists of source packages, and apt's state

# The system's own Debian mirrors as deb-src lines.
sources_list() {
    keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    [ -f $keyring ] && signed="[signed-by=$keyring] " || signed=
    apt-get indextargets --format '$(ORIGIN) $(REPO_URI) $(CODENAME) $(COMPONENT)' 2>/dev/null |
        awk -v signed="$signed" '
            $1 == "Debian" && $4 == "main" && !seen[$0]++ { print "deb-src " signed $2, $3, $4; found = 1 }
            END { exit !found }'
}

# private_apt apt-get|apt-cache ARGUMENT...
private_apt() {
    tool=$1
    shift
    "$tool" -q -o Dir::Etc::SourceList="$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
        -o Dir::State="$apt/state" -o Dir::State::status=/var/lib/dpkg/status -o Dir::Cache="$apt/cache" \
        -o Acquire::Languages=none -o Acquire::Retries=3 -o APT::Sandbox::User="$(id -un)" "$@"
}

# update_lists: reads the mirrors' lists of source packages
update_lists() {
    mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial"
    sources_list >"$apt/sources.list" || fail "apt knows no Debian mirror; run 'apt-get update' first"
    private_apt apt-get update
}

# download PACKAGE: its newest version that a mirror still has, into the current folder. (The newest of the lists may have been replaced since.) apt checks
# what it fetches. Upstream's archive suffices: not every mirror has all signatures.
download() {
    for version in "" $(private_apt apt-cache madison "$1" | awk -F'|' '{ gsub(/ /, "", $2); print "=" $2 }'); do
        private_apt apt-get source --only-source --download-only "$1$version" && return
        [ -z "$(find . -maxdepth 1 -name "$1_*.orig.tar.*" ! -name '*.asc')" ] || return 0
    done
    echo "no mirror has the source of $1" >&2
    return 1
}

# fetch PACKAGE...: into $dir/source
fetch() {
    mkdir -p "$dir/source"
    (
        update_lists && cd "$dir/source" || exit 1
        for package in "$@"; do
            download "$package" || exit 1
        done
        for description in *.dsc; do
            sed -i '/\.asc$/d' "$description" && dpkg-source --no-check -x "$description" || exit 1
        done
        # Without Debian's own changes: upstream's archive as it is
        for archive in *.orig.tar.?z *.orig.tar.bz2; do
            name=${archive%.orig.tar.*}
            folder=${name%%_*}-${name#*_}
            [ ! -e "$archive" ] || [ -d "$folder" ] || { mkdir "$folder" && tar -x --strip-components=1 -C "$folder" -f "$archive"; } || exit 1
        done
    ) >"$dir/fetch.log" 2>&1 || { tail -20 "$dir/fetch.log"; fail "apt cannot fetch the sources; the log is $dir/fetch.log"; }
}

# the unpacked folder of a source package, e.g. `unpacked musl`
unpacked() {
    set -- "$dir/source/$1"-*/
    [ -d "$1" ] || fail "no source folder $1"
    echo "${1%/}"
}
