#!/bin/sh
# floors.sh [TREE]: a folder of src/ includes only what stands on its own floor or below it, the command line only public headers (and
# its own). Fails with a line per offence.
set -eu
cd "${1:-$(dirname "$0")/../..}"
floors="base isa core pmu engine machine report cli"

allowed=
status=0
for floor in $floors; do
    allowed="$allowed $floor"
    [ -d "src/$floor" ] || continue
    [ "$floor" = cli ] && may=cli || may=$allowed
    grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]+"' -r --include="*.[ch]" "src/$floor" |
        awk -v floor="$floor" -v may="$may" '
            BEGIN { n = split(may, list, " "); for (i = 1; i <= n; i++) ok[list[i]] = 1; ok["p5scope"] = 1 }
            {
                match($0, /"[^"]*"/)
                file = substr($0, RSTART + 1, RLENGTH - 2)
                folder = file ~ /\// ? file : floor "/"
                sub(/\/.*/, "", folder)
                if (!(folder in ok)) {
                    split($0, place, ":")
                    printf "%s:%s: %s includes \"%s\"\n", place[1], place[2], floor, file
                    bad = 1
                }
            }
            END { exit bad }' || status=1
done

# Only engine may know Unicorn, only isa Capstone.
for pair in engine:unicorn isa:capstone; do
    if grep -nE "#[[:space:]]*include[[:space:]]*<${pair#*:}/" -r src include | grep -v "^src/${pair%:*}/"; then
        echo "only src/${pair%:*} may include <${pair#*:}/...>"
        status=1
    fi
done
exit $status
