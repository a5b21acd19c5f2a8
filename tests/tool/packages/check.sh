#!/bin/sh
# check.sh: run by `./dev packages check` as root of a fresh tree of a release, which is discarded afterwards. Its folder has
#   *.deb   guest   expected (what stat says of guest 1)   source (tests/tool/python, docs/examples, events of the tree)
# Installs the packages, uses all of them, removes them, and looks for what is left.
set -eu
cd "$(dirname "$0")"
export DEBIAN_FRONTEND=noninteractive
fail() { echo "FAIL: $*"; exit 1; }
quietly() { "$@" >log 2>&1 || { tail -20 log; fail "$*"; }; }
ours=$(for package in *.deb; do dpkg-deb -f "$package" Package; done)

quietly apt-get -q update
quietly apt-get -q install -y --no-install-recommends ./*.deb
echo "ok installed:" $ours

p5scope stat -q -o counts guest 1 >/dev/null
grep -v ' options: \| on the host\|^ p5scope ' counts >came
grep -q clocks came && diff expected came || fail "p5scope stat guest 1: other counts"
echo "ok p5scope stat"

quietly apt-get -q install -y --no-install-recommends gcc libc6-dev cmake make pkgconf libcmocka-dev python3-pytest python3-matplotlib
cc source/docs/examples/count_guest.c $(pkg-config --cflags --libs p5scope) -o by_pkgconf
./by_pkgconf "$PWD/guest" 1 >from_pkgconf || fail "count_guest by pkg-config"
quietly cmake -S source/docs/examples -B by_cmake
quietly cmake --build by_cmake
by_cmake/count_guest "$PWD/guest" 1 >from_cmake || fail "count_guest by CMake"
cmp from_pkgconf from_cmake || fail "count_guest says something else by CMake"
ldd by_pkgconf | grep -q 'libp5scope\.so\.1 => /' || fail "not linked with the shared library"
echo "ok linked by pkg-config and CMake"

P5_SOURCE=$PWD/source MPLCONFIGDIR=$PWD PYTHONDONTWRITEBYTECODE=1 python3 -m pytest -q -p no:cacheprovider source/tests/tool/python >log 2>&1 ||
    { tail -20 log; fail "Python's tests"; }
tail -1 log
echo "ok Python"

dpkg -L $ours | grep -v "^/\.$" | sort -u >files
quietly apt-get -q purge -y $ours
while read -r file; do
    if [ -d "$file" ] && [ ! -L "$file" ]; then
        dpkg -S "$file" >/dev/null 2>&1 || echo "$file"
    elif [ -e "$file" ] || [ -L "$file" ]; then
        dpkg -S "$file" >/dev/null 2>&1 || echo "$file"
    fi
done <files >left
find / -xdev -name '*p5scope*' ! -path "$PWD/*" ! -path '/var/cache/*' ! -path '/var/lib/apt/*' ! -path '/proc/*' >>left
[ ! -s left ] || { cat left; fail "left behind"; }
echo "ok removed, nothing left"
