#!/bin/sh
# version.sh SOURCE: the version stands in CMakeLists.txt; what must repeat it does so. CHANGELOG.md has groups.
set -eu
cd "$1"
version=$(sed -n 's/^project(p5scope VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
[ -n "$version" ] || { echo "FAIL: CMakeLists.txt has no version"; exit 1; }
status=0
changes=$(sed -n 's/^## \([0-9.]*\) .*/\1/p' CHANGELOG.md | head -n 1)
cited=$(sed -n 's/^version: \([0-9.]*\)$/\1/p' CITATION.cff)
package=$(sed -n '1s/^p5scope (\([0-9.]*\)[^)]*).*/\1/p' debian/changelog)
soversion=$(sed -n 's/^set(P5_SOVERSION \([0-9]*\)).*/\1/p' CMakeLists.txt)
[ "$changes" = "$version" ] || { echo "FAIL: CHANGELOG.md: expected $version, came $changes"; status=1; }
[ "$package" = "$version" ] || { echo "FAIL: debian/changelog: expected $version, came $package"; status=1; }
[ "$cited" = "$version" ] || { echo "FAIL: CITATION.cff: expected $version, came $cited"; status=1; }
# Python's module has no version of its own: it asks the library.
! grep -rnE '[0-9]+\.[0-9]+\.[0-9]+' python || { echo "FAIL: python: expected no version"; status=1; }
day=$(sed -n "s/^## $version - \\([0-9-]*\\)$/\\1/p" CHANGELOG.md)
packaged=$(date -u -d "$(sed -n 's/^ -- .*>  //p' debian/changelog | head -n 1)" +%F)
[ -z "$day" ] || [ "$packaged" = "$day" ] || { echo "FAIL: debian/changelog: expected the date $day, came $packaged"; status=1; }
released=$(sed -n 's/^date-released: //p' CITATION.cff)
[ -z "$day" ] || [ "$released" = "$day" ] || { echo "FAIL: CITATION.cff: expected the date $day, came $released"; status=1; }
grep -q "^Package: libp5scope$soversion\$" debian/control || { echo "FAIL: debian/control: expected the package libp5scope$soversion"; status=1; }
# A merge that keeps both sides can bring back groups and lines of an earlier order.
wrong=$(grep -nE '^### (Added|Changed|Fixed)$' CHANGELOG.md || true; grep -E '.{20}' CHANGELOG.md | sort | uniq -d)
[ -z "$wrong" ] || { echo "$wrong" | head -n 5; echo "FAIL: CHANGELOG.md: expected groups by what changes concern, and no line twice; take main's file, and add your line to its group"; status=1; }
exit $status
