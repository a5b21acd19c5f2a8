#!/bin/sh
# calls.sh TREE BUILD [NM]: no circle of calls between folders, found from the symbols that the objects of a build define and use. Fails with the calls
# of each circle.
#
# Sources in a folder that has folders in it stand above these. A pointer that is set at run time is no call, and what is inlined belongs
# to its caller.
set -eu
tree=$1
build=$2
nm=${3:-nm}
circles=$(cat "$(dirname "$0")/circles.awk")
cd "$tree"

# SOURCE LETTER SYMBOL of every symbol of the objects whose source still exists.
find "$build/CMakeFiles" -path '*.dir/src/*.c.o' | while read -r object; do
    source=src/${object#*.dir/src/}
    [ -e "${source%.o}" ] && echo "$object"
done | xargs "$nm" -A 2>/dev/null | awk '{
    place = $1
    sub(/.*\.dir\/src\//, "", place)
    sub(/\.c\.o:.*/, ".c", place)
    print place, $(NF - 1), $NF
}' | awk "$circles"'
    function folder(file) { sub(/\/[^\/]*$/, "", file); return file }
    $2 == "T" { home[$3] = $1 }
    $2 == "U" { call[++calls] = $1 " " $3 }
    END {
        for (i = 1; i <= calls; i++) {
            split(call[i], part, " ")
            if (!(part[2] in home)) continue
            a = folder(part[1])
            b = folder(home[part[2]])
            if (a == b) continue
            any = 1
            said[a, b] = said[a, b] "\n    " part[1] " calls " part[2] " of " home[part[2]]
            nodes[a]; nodes[b]
        }
        if (!any) { print "no calls between folders in these objects"; exit 1 }
        keep_circles(said, nodes)
        for (e in said) {
            split(e, ends, SUBSEP)
            print "in a circle: " ends[1] " -> " ends[2] said[e]
            bad = 1
        }
        exit bad
    }'
