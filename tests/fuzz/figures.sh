#!/bin/sh
# figures.sh FOLDER DOCUMENT: writes what the campaign of FOLDER has seen so far (the states of driver.c) into the table of DOCUMENT.
set -eu
folder=$1 document=$2
table() {
    echo '| fuzzer | inputs | instructions | crashes | hangs | most past a limit, s | most growth in a batch, MB | descriptors left open | hours |'
    echo '|---|---|---|---|---|---|---|---|---|'
    for state in "$folder"/fuzz_*; do
        [ -f "$state" ] || continue
        awk -v name="$(basename "$state")" '
            {
                for (i = 1; i < NF; i += 2) v[$i] = $(i + 1)
                printf "| `%s` | %s | %s | %d | %d | %.2f | %.0f | %d | %.2f |\n", name, v["inputs"],
                    v["instructions"] ? v["instructions"] : "-", v["crashes"], v["hangs"], v["past-ms"] / 1000, v["grown-kb"] / 1024,
                    v["descriptors"], v["seconds"] / 3600
            }' "$state"
    done
}
new=$(mktemp)
table >"$new.table"
awk -v table="$new.table" '
    /^<!-- campaign -->$/ { print; while ((getline line < table) > 0) print line; inside = 1; next }
    /^<!-- \/campaign -->$/ { inside = 0 }
    !inside' "$document" >"$new"
cat "$new" >"$document"
rm -f "$new" "$new.table"
