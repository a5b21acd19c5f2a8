#!/bin/sh
# sysroot.sh DIR PACKAGE...: DIR gets what these packages of this Debian release and those that they need contain, for arm64. Nothing of the
# system's apt or dpkg is touched: sources list, state and cache lie in DIR.apt. A second run with the same packages does nothing.
set -eu
dir=$1
shift
. /etc/os-release
stamp="$VERSION_CODENAME $*"
[ -f "$dir.apt/stamp" ] && [ "$(cat "$dir.apt/stamp")" = "$stamp" ] && exit 0
rm -rf "$dir" "$dir.apt"
mkdir -p "$dir" "$dir.apt/etc/apt/preferences.d" "$dir.apt/var/lib/apt/lists/partial" "$dir.apt/var/cache/apt/archives/partial" "$dir.apt/var/lib/dpkg"
apt=$(cd "$dir.apt" && pwd)
: >"$apt/var/lib/dpkg/status"
mirror=$(sed -n 's,^\(URIs: \|deb [^h]*\)\(https\?://[^ ]*/debian\)/\?\( .*\)\?$,\2,p' /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -1)
echo "deb [arch=arm64 signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${mirror:-http://deb.debian.org/debian} $VERSION_CODENAME main" >"$apt/etc/apt/sources.list"
private_apt() {
    apt-get -q -y -o Dir="$apt" -o Dir::State::status="$apt/var/lib/dpkg/status" -o APT::Architecture=arm64 -o APT::Architectures::=arm64 \
        -o Acquire::Languages=none -o Acquire::Retries=3 -o APT::Sandbox::User="$(id -un)" "$@" >>"$apt/log" 2>&1 ||
        { tail -5 "$apt/log"; echo "sysroot.sh: apt $1 failed; the log is $apt/log" >&2; exit 1; }
}
private_apt update
private_apt install --no-install-recommends --download-only "$@"
for package in "$apt"/var/cache/apt/archives/*.deb; do
    dpkg-deb -x "$package" "$dir"
done
[ -e "$dir/lib/ld-linux-aarch64.so.1" ] || ln -s usr/lib "$dir/lib" # where /usr is merged, a package of its own makes this
# Links to absolute names would lead into the machine.
find "$dir" -type l -lname '/*' | while read -r link; do
    ln -snf "$(realpath -m --relative-to="$(dirname "$link")" "$dir$(readlink "$link")")" "$link"
done
echo "$stamp" >"$apt/stamp"
