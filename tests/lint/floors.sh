#!/bin/sh
# floors.sh [TREE]: who may include whom. Fails with a line per offence.
#
# - A floor (a folder of src/) includes only what stands on its own floor or below it; the command line only public headers and its own.
# - The processor's hardware (core/bus, memory, branch, pipe) includes nothing of those who watch it or make it fast.
# - internal.h, *_internal.h and state.h are for their own folder and the folders in it.
# - No circle between folders. The headers of a folder that has folders in it are what these share, below all of them; its sources put
#   them together, above all of them.
set -eu
cd "${1:-$(dirname "$0")/../..}"

includes() { # FILE:LINE FOLDER FILE OF INCLUDED-FOLDER INCLUDED-FILE, of every #include "..." of a file of this tree
    grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]+"' -r --include="*.[ch]" src |
        awk '{
            split($0, place, ":")
            from = substr(place[1], 5)
            match($0, /"[^"]*"/)
            to = substr($0, RSTART + 1, RLENGTH - 2)
            here = from
            sub(/[^\/]*$/, "", here)
            if (to !~ /\//) to = here to
            folder = to
            if (!sub(/\/[^\/]*$/, "", folder)) folder = "."
            sub(/\/$/, "", here)
            print place[1] ":" place[2], here, from, folder, to
        }'
}

status=0
includes | awk '
    function floor_of(folder) { sub(/\/.*/, "", folder); return folder }
    function offence(why) { print place ": " why; bad = 1 }
    function inside(folder, of) { return folder == of || index(folder, of "/") == 1 }
    # A folder with folders in it is two: its headers, and its sources.
    function node(folder, file) { return (folder in parent) && file ~ /\.c$/ ? folder "/*.c" : folder }
    BEGIN {
        n = split("base isa core pmu engine machine report cli", floor, " ")
        for (i = 1; i <= n; i++) height[floor[i]] = i
        watchers = "^core/(replay|testreg|exact|watch|profile)$"
        hardware = "^core/(event|model|bus|memory|branch|pipe)$"
    }
    { line[NR] = $0; seen[$2]; seen[$4] }
    END {
        for (f in seen) {
            up = f
            while (sub(/\/[^\/]*$/, "", up)) parent[up]
        }
        for (i = 1; i <= NR; i++) {
            split(line[i], part, " ")
            place = part[1]; here = part[2]; from = part[3]; there = part[4]; to = part[5]
            if (there == "p5scope" || !(floor_of(there) in height)) {
                if (there != "p5scope") offence(here " includes \"" to "\", which is in no floor")
                continue
            }
            if (height[floor_of(there)] > height[floor_of(here)] || (here == "cli" && there != "cli"))
                offence(here " includes \"" to "\"")
            if (here ~ hardware && there ~ watchers)
                offence("hardware includes \"" to "\"")
            if (to ~ /(\/|_)internal\.h$|\/state\.h$/ && !inside(here, there))
                offence(to " is for " there " alone")
            a = node(here, from); b = node(there, to)
            if (a != b && !((a, b) in edge)) { edge[a, b] = place; nodes[a]; nodes[b] }
        }
        # What nobody includes, and what includes nothing, is in no circle.
        do {
            changed = 0
            for (v in nodes) {
                goes = comes = 0
                for (e in edge) {
                    split(e, ends, SUBSEP)
                    goes += ends[1] == v
                    comes += ends[2] == v
                }
                if (goes && comes) continue
                changed = 1
                delete nodes[v]
                for (e in edge) {
                    split(e, ends, SUBSEP)
                    if (ends[1] == v || ends[2] == v) delete edge[e]
                }
            }
        } while (changed)
        for (e in edge) {
            split(e, ends, SUBSEP)
            place = edge[e]
            offence("in a circle: " ends[1] " -> " ends[2])
        }
        exit bad
    }' || status=1

# Only engine may know Unicorn, only isa Capstone.
for pair in engine:unicorn isa:capstone; do
    if grep -nE "#[[:space:]]*include[[:space:]]*<${pair#*:}/" -r src include | grep -v "^src/${pair%:*}/"; then
        echo "only src/${pair%:*} may include <${pair#*:}/...>"
        status=1
    fi
done
exit $status
