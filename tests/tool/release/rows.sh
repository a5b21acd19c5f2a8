#!/bin/sh
# rows.sh SOURCE: the rows of `./dev release --dry-run` in a small repository, before and after changes that must keep a release from being made.
set -eu
command -v git >/dev/null && git --version >/dev/null 2>&1 || { echo "SKIP: git is not installed"; exit 77; }
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAIL: $*"; cat "$work/rows"; exit 1; }

mkdir -p "$work/tree/tests/tool"
cd "$source"
cp -a dev CMakeLists.txt CHANGELOG.md CITATION.cff cmake debian include python "$work/tree"
cp -a tests/lint "$work/tree/tests"
cp -a tests/tool/dev "$work/tree/tests/tool"
cd "$work/tree"
export HOME="$work" GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
printf '/build*/\n__pycache__/\n' >.gitignore
git init -q .
git add .
git commit -q -m first

# rows: makes the check list. has ITEM RESULT TEXT: its row of ITEM has this result and contains the text. row does both.
rows() { ./dev release --dry-run >"$work/rows" 2>&1 || fail "release --dry-run ends with status $?"; }
has() { grep -q "^$2 * $1 .*$3" "$work/rows" || fail "$1: expected $2 and '$3'"; }
row() { rows && has "$@"; }
# passed NAME [COMMIT]: notes that the long check NAME has passed at COMMIT.
passed() {
    mkdir -p build/checked
    printf 'passed %s 2026-01-02 %s\n' "$(git rev-parse "${2:-HEAD}")" "${3:-clean}" >"build/checked/$1"
}
commit() { git commit -qam "$1"; }

rows
has "clean tree" ok "HEAD is"
has "one version" ok "CITATION.cff"
has "dated changelog" ok "20"
has "new tag" ok "v"
has "public headers" ok "functions"
has "interface" ok "no earlier release"
long="test:test arm:ARM elsewhere:both.distributions tarball:tarball packages:packages published:published.figures bench:benchmarks soak:soak"
for item in $long; do
    has "${item#*:}" missing "./dev ${item%:*}"
    passed "${item%:*}"
done
rows
for item in $long; do
    has "${item#*:}" ok "2026-01-02 at $(git rev-parse HEAD | cut -c1-8), 0 commits ago"
done
grep -q '^0 open' "$work/rows" || fail "everything is done"

# Documents may change after a long check, other files not.
echo >>CHANGELOG.md
row "clean tree" failed "lists 1 changes"
commit documents
row test ok "1 commits ago"
echo >>CMakeLists.txt
commit others
row test old "1 files other than documents"
passed test HEAD dirty
row test old "uncommitted"
printf 'failed %s 2026-01-02 clean\n' "$(git rev-parse HEAD)" >build/checked/test
row test failed "failed on 2026-01-02"
./dev release >"$work/rows" 2>&1 && fail "a release is made although something is open"
[ -z "$(git tag)" ] || fail "a tag is made although something is open"

# Each place of the version.
version=$(sed -n 's/^project(p5scope VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
for place in CMakeLists.txt CHANGELOG.md debian/changelog CITATION.cff; do
    sed -i "s/\(VERSION \|^## \|(\|^version: \)$version/\\19.8.7/" $place
    ! git diff --quiet || fail "$place: no version found"
    ! tests/lint/version.sh . >"$work/rows" || fail "$place: another version is not noticed"
    grep -q "9.8.7" "$work/rows" || fail "$place: the version is not named"
    git checkout -q $place
done
echo '__version__ = "9.8.7"' >>python/p5scope/__init__.py
sed -i "s/^## $version - .*/## $version - unreleased/" CHANGELOG.md
rows
has "one version" failed "python/p5scope/__init__.py"
has "dated changelog" failed "## $version"
git checkout -q python CHANGELOG.md
git tag "v$version"
row "new tag" failed "exists"
has "interface" missing "./dev interface"
