# Sourced by the benches of this folder: arguments, a scratch folder, medians, the tables of docs/performance.md.
# shellcheck shell=bash disable=SC2034
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
guests=$root/build/guests
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# arguments WHAT DEFAULT BUILD [NUMBER] [--write]: sets build, number and write; WHAT is the number's name.
arguments() {
    local what=$1 argument
    number=$2 write=
    build=$(cd "$3" && pwd)
    shift 3
    for argument; do
        case $argument in
        --write) write=1 ;;
        *[!0-9]* | 0) echo "usage: $(basename "$0") BUILD [$what] [--write]" >&2; exit 2 ;;
        *) number=$argument ;;
        esac
    done
}

# median: of the numbers on standard input
median() { sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

# today: when and at which state of the tree; that the page is being rewritten does not make it another one
today() {
    local state
    state=$(git -C "$root" describe --always)
    git -C "$root" diff --quiet HEAD -- ':!docs/performance.md' || state=$state-dirty
    echo "$(date -u +%F) at $state"
}
# machine: on what
machine() { echo "$(sed -n 's/^model name[^:]*: //p;' /proc/cpuinfo | head -1), $(nproc) cores, load $(cut -d ' ' -f 1 /proc/loadavg)"; }

# rows FILE: its lines a|b|c as rows of a table
rows() { sed 's/|/ | /g; s/^/| /; s/$/ |/' "$1"; }

# write_page NAME: standard input goes between the marks <!-- NAME --> and <!-- end NAME --> of docs/performance.md.
write_page() {
    local page=$root/docs/performance.md
    cat >"$work/new"
    awk -v new="$work/new" -v start="<!-- $1 -->" -v end="<!-- end $1 -->" '
        $0 == start { print; while ((getline line < new) > 0) print line; skipping = 1; next }
        $0 == end { skipping = 0 }
        !skipping' "$page" >"$work/page"
    cp "$work/page" "$page"
    echo "wrote $page" >&2
}
