#!/bin/sh
# floors.sh [TREE]: which folder may include which headers. Fails with a line per offence.
#
# - A floor (a folder of src/) includes only what stands on its own floor or below it; the command line only the headers of include/ and its own.
# - Of core, pmu, engine and machine the floors above include no other headers than those listed here.
# - A room (a folder of a floor) includes only rooms that stand below it in the list here; the processor's hardware nothing of core/ itself.
# - internal.h, *_internal.h and state.h are for their own folder and the folders in it. A floor's internal.h joins the state.h of its
#   rooms, so these stand below it, and it stands below the rooms.
# - A part of struct engine is for its own folder: others have functions for it.
# - Other folders read members of core/memory by its functions only.
# - No circle between folders. The headers of a folder that has folders in it are what these share, below all of them; its sources put
#   them together, above all of them.
set -eu
circles=$(cat "$(dirname "$0")/circles.awk")
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
includes | awk "$circles"'
    function floor_of(folder) { sub(/\/.*/, "", folder); return folder }
    function offence(why) { print place ": " why; bad = 1 }
    function list(text, into,   n, i, part) { n = split(text, part, " "); for (i = 1; i <= n; i++) into[part[i]] = i }
    function inside(folder, of) { return folder == of || index(folder, of "/") == 1 }
    # A room with a state.h is two: that header, and the rest. A folder with folders in it is three: its internal.h, its other headers,
    # and its sources.
    function node(folder, file) {
        if (folder in rank) return file == folder "/state.h" ? file : folder
        if (!(folder in parent)) return folder
        return file ~ /\.c$/ ? folder "/*.c" : file == folder "/internal.h" ? file : folder
    }
    BEGIN {
        list("base isa core pmu engine machine report cli", height)
        # Rooms from below; those joined by + stand beside each other.
        split("core: event+model bus memory+branch pipe profile exact+planted replay testreg;" \
              "engine: unicorn stretch memory x87 control segment stream;" \
              "machine: base observe share disk board run load bios dos+linux snapshot inspect gdb;" \
              "report: stat database+profile timeline trace case loop", floor, ";")
        for (f in floor) {
            n = split(floor[f], level, " ")
            for (i = 2; i <= n; i++) {
                m = split(level[i], beside, "+")
                for (j = 1; j <= m; j++) rank[substr(level[1], 1, length(level[1]) - 1) "/" beside[j]] = i
            }
        }
        hardware = "^core/(event|model|bus|memory|branch|pipe)$"
        list("core/block.h core/core.h core/snapshot.h core/branch/branch.h core/event/events.h core/model/bound.h core/model/model.h core/pipe/batch.h " \
             "core/pipe/breakpoints.h core/profile/profile.h core/testreg/test_access.h " \
             "pmu/pins.h pmu/pmu_snapshot.h engine/engine.h machine/machine.h", published)
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
            if (there ~ /^p5(scope|tool)$/ || !(floor_of(there) in height)) {
                if (there !~ /^p5(scope|tool)$/) offence(here " includes \"" to "\", which is in no floor")
                continue
            }
            if (height[floor_of(there)] > height[floor_of(here)] || (here == "cli" && there != "cli"))
                offence(here " includes \"" to "\"")
            if (height[floor_of(there)] > height["isa"] && floor_of(there) != floor_of(here) && !(to in published))
                offence(to " is for " floor_of(there) " alone")
            if (here ~ hardware && there == "core")
                offence("hardware includes \"" to "\"")
            if (floor_of(there) == floor_of(here)) {
                if (here != floor_of(here) && !(here in rank)) offence(here " is not among the rooms of this script")
                if (here != there && (here in rank) && (there in rank) && rank[there] >= rank[here])
                    offence(here " includes \"" to "\", which does not stand below it")
            }
            joins = from == here "/internal.h" && inside(there, here)
            if (to ~ /(\/|_)internal\.h$|\/state\.h$/ && !inside(here, there) && !joins)
                offence(to " is for " there " alone")
            a = node(here, from); b = node(there, to)
            if (a != b && !((a, b) in edge)) { edge[a, b] = place; nodes[a]; nodes[b] }
        }
        keep_circles(edge, nodes)
        for (e in edge) {
            split(e, ends, SUBSEP)
            place = edge[e]
            offence("in a circle: " ends[1] " -> " ends[2])
        }
        exit bad
    }' || status=1

if grep -nE '#[[:space:]]*include[[:space:]]*<(base|isa|core|pmu|engine|machine|report|cli|p5scope|p5tool)/' -r src; then
    echo "own headers are included by \"...\""
    status=1
fi
# p5_core holds the memo by value; no room below replay knows it.
if find src/core -mindepth 2 -name '*.[ch]' ! -path '*/replay/*' ! -path '*/testreg/*' -exec grep -nHE 'core->memo\>|\<memo_[a-z_]+\(' {} + | grep .; then
    echo "the memo is for core/replay, and what stands above it, alone"
    status=1
fi
# What the memory side and its arrays are made of is for core/memory: others have functions for it. Looked at are members of what is
# declared as one of these since the last line that begins at the margin, of core->memory, and of what functions of memory/ give.
if find src/core -name '*.[ch]' ! -path '*/memory/*' -exec awk '
    FNR == 1 || /^[a-z]/ { delete is }
    {
        for (rest = $0; match(rest, /(^|[^a-z_])(memory|data_cache|code_cache|tlb) \*+[a-z_0-9]+/); rest = substr(rest, RSTART + RLENGTH)) {
            name = substr(rest, RSTART, RLENGTH)
            sub(/.*\*/, "", name)
            is[name]
        }
        for (rest = $0; match(rest, /[a-z_0-9>]+(\([^()]*\))?->[a-z_]/); rest = substr(rest, RSTART + RLENGTH - 1)) {
            name = substr(rest, RSTART, RLENGTH - 3)
            if (name in is || name ~ /(^|>)memory$/ || name ~ /^memory_(data_cache|code_cache|code_tlb|data_tlb)\(/) {
                print FILENAME ":" FNR ": " $0
                next
            }
        }
    }' {} + | grep .; then
    echo "the members of the memory side and its arrays are for core/memory"
    status=1
fi
for part in stretch memory x87 segment stream; do
    if grep -nE "\<(e|engine|engine_of[a-z_]*\([^()]*(\([^()]*\))?\)|env->owner)->$part\>" -r src/engine --include="*.[ch]" |
        grep -v "^src/engine/$part/"; then
        echo "engine.$part is for src/engine/$part alone"
        status=1
    fi
done
# Only engine may know Unicorn, only isa Capstone.
for pair in engine:unicorn isa:capstone; do
    if grep -nE "#[[:space:]]*include[[:space:]]*<${pair#*:}/" -r src include | grep -v "^src/${pair%:*}/"; then
        echo "only src/${pair%:*} may include <${pair#*:}/...>"
        status=1
    fi
done
exit $status
