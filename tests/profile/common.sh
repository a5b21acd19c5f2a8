# Sourced: p5scope=PROGRAM and a scratch folder that goes when the test ends.
set -u
export LC_ALL=C
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
fail() {
    printf 'FAIL: %s\n' "$*" >&2
    exit 1
}
needs() {
    command -v "$1" >/dev/null || {
        echo "$1 is not installed: skipped"
        exit 77
    }
}
# stat_values FILE ARGUMENT...: name and value of clocks and of all events, sorted, as `stat -j` gives them.
stat_values() {
    to=$1
    shift
    "$p5scope" stat -j -e clocks,all -o "$scratch/stat.json" "$@" >"$scratch/stat.out"
    jq -r 'select(.event and .value != null) | "\(.event) \(.value)"' "$scratch/stat.json" | sort >"$to"
    [ "$(wc -l <"$to")" -gt 30 ] || fail "stat -j gave only $(wc -l <"$to") values"
}
