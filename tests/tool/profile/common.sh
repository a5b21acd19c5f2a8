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
# browse PAGE OPTION...: Chromium opens the page, without a network.
browse() {
    page=$1
    shift
    timeout 600 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run --user-data-dir="$scratch/home" \
        --host-resolver-rules='MAP * ~NOTFOUND' --enable-logging=stderr "$@" "file://$page" 2>"$scratch/complaints"
    grep CONSOLE "$scratch/complaints" | grep -v ' source: chrome://' >&2 && fail "the page complains" # Chromium's own pages miss the network
    return 0
}
# stat_values FILE ARGUMENT...: name and value of clocks and of all events, sorted, as `stat -j` gives them.
stat_values() {
    to=$1
    shift
    "$p5scope" stat -j -e clocks,all -o "$scratch/stat.json" "$@" >"$scratch/stat.out"
    jq -r 'select(.event and .value != null) | "\(.event) \(.value)"' "$scratch/stat.json" | sort >"$to"
    [ "$(wc -l <"$to")" -gt 30 ] || fail "stat -j gave only $(wc -l <"$to") values"
}
# totals_agree READER FILE EVENT...: READER reads FILE without a complaint, and its program totals of each event are those of $scratch/expected.
# The text of the last event is left in $scratch/text.
totals_agree() {
    reader=$1 file=$2
    shift 2
    for event; do
        "$reader" --show="$event" "$file" >"$scratch/text" 2>"$scratch/complaints"
        [ -s "$scratch/complaints" ] && { cat "$scratch/complaints"; fail "$reader complains"; }
        got=$(awk '/PROGRAM TOTALS/ { gsub(",", "", $1); print $1 }' "$scratch/text")
        expected=$(awk -v name="$event" '$1 == name { print $2 }' "$scratch/expected")
        [ "$got" = "$expected" ] || fail "$event: stat has $expected, $reader $got"
    done
}
