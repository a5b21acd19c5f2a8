# Sourced by build.sh and programs.sh, which set `dir`: Debian's source packages through a private apt configuration.
# shellcheck shell=sh disable=SC2154
fail() { echo "$(basename "$0"): $*" >&2; exit 1; }

cc=$(command -v gcc-12 || command -v i686-linux-gnu-gcc-12 || command -v gcc || command -v i686-linux-gnu-gcc) # as in CMakeLists.txt
# i586 code only: no CMOV, no long NOPs for alignment, no ENDBR. libgcc is left out; divide.c stands in for it.
flags="-O2 -g1 -march=pentium-mmx -fcf-protection=none -fno-stack-protector -fno-pie -fno-asynchronous-unwind-tables"
cores=$(nproc)

# The system's own Debian mirrors as deb-src lines.
sources_list() {
    keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    [ -f $keyring ] && signed="[signed-by=$keyring] " || signed=
    apt-get indextargets --format '$(ORIGIN) $(REPO_URI) $(CODENAME) $(COMPONENT)' 2>/dev/null |
        awk -v signed="$signed" '
            $1 == "Debian" && $4 == "main" && !seen[$0]++ { print "deb-src " signed $2, $3, $4; found = 1 }
            END { exit !found }'
}

private_apt() {
    apt-get -q -o Dir::Etc::SourceList="$dir/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
        -o Dir::State="$dir/apt/state" -o Dir::State::status=/var/lib/dpkg/status -o Dir::Cache="$dir/apt/cache" \
        -o Acquire::Languages=none -o Acquire::Retries=3 -o APT::Sandbox::User="$(id -un)" "$@"
}

# fetch PACKAGE...: into $dir/source
fetch() {
    mkdir -p "$dir/apt/state/lists/partial" "$dir/apt/cache/archives/partial" "$dir/source"
    sources_list >"$dir/apt/sources.list" || fail "apt knows no Debian mirror; run 'apt-get update' first"
    (
        # apt checks what it fetches; not every mirror has all of upstream's signatures
        private_apt update && cd "$dir/source" && { private_apt source --only-source --download-only "$@" || echo "going on without"; } &&
            for description in *.dsc; do
                sed -i '/\.asc$/d' "$description" && dpkg-source --no-check -x "$description" || exit 1
            done
        # nor of Debian's own changes: then upstream's archive as it is
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
