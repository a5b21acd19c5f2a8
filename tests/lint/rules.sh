#!/bin/sh
# rules.sh TREE              checks docs/rules.tsv, the table of the rules that comments name by a tag
# rules.sh TREE --write FILE writes the table as a document
#
# Every tag in a comment of src/core has a row. Every row names files that contain its tag, and tests that exist. One of the tests is a case, or
# a table of cases, that states how many instructions go to the V pipe. Cases name in their notes exactly those rules that list them.
set -eu
cd "$1"
table=docs/rules.tsv
if [ "${2:-}" = --write ]; then
    {
    echo "# Rules by tag"
    echo
    echo "The build makes this document from docs/rules.tsv. Numbers name manuals (fidelity.md)."
    echo
    echo "| tag | rule | source | grade | where | tests |"
    echo "|---|---|---|---|---|---|"
    grep -v '^#' $table | awk -F '\t' '
        function links(list,   n, i, part, name, text) {
            n = split(list, part, " ")
            text = ""
            for (i = 1; i <= n; i++) {
                text = text (i > 1 ? ", " : "") "`" part[i] "`"
            }
            return text
        }
        { printf "| %s | %s | %s | %s | %s | %s |\n", $1, $2, $3, $4, links($5), links($6) }'
    } >"$3"
    exit
fi
status=0
tag='(^|[^A-Za-z0-9_])([PMF][0-9]+[a-z]?)([^A-Za-z0-9_]|$)'
# tags in comments: lines of comments, or what stands after /* in a line of code
named=$(sed -nE 's/^.*\/\*/ /p; /^ *\*/p' $(find src/core -name '*.[ch]') | tr -c 'A-Za-z0-9_\n' '\n' | grep -xE '[PF][0-9][0-9]?[a-z]?|M[1-9]' | sort -u)
known=$(grep -v '^#' $table | cut -f1 | sort)
[ "$known" = "$(echo "$known" | uniq)" ] || { echo "$table: a tag stands twice"; status=1; }
for t in $named; do
    echo "$known" | grep -qx "$t" || { echo "src/core: $t is in no row of $table"; status=1; }
done
tab=$(printf '\t')
while IFS="$tab" read -r t _ _ grade files tests; do
    case $t in "#"*) continue ;; esac
    case $grade in exact | modelled) ;; *) echo "$table: $t has no grade"; status=1 ;; esac
    [ -n "$files" ] || { echo "$table: $t has no file"; status=1; }
    cases=$(echo "$tests" | tr ' ' '\n' | grep '^tests/cases/' || true)
    [ -n "$cases" ] || { echo "$table: $t has no case"; status=1; }
    echo "$cases" | grep -q 'pairs\.tsv$' || grep -q '^#! expect.* instructions_executed_v_pipe ' $cases /dev/null || { echo "$table: no case of $t says what goes to V"; status=1; }
    noted=$(grep -lrE "^(#! note|[^#].*$tab)(.*[^A-Za-z0-9_])?$t([^A-Za-z0-9_]|\$)" tests/cases | sort)
    for f in $(printf '%s\n' $cases $noted | sort | uniq -u); do
        echo "$f, or $table, does not name $t"
        status=1
    done
    for f in $files; do
        grep -qE "$(echo "$tag" | sed "s/\[PMF\]\[0-9\]+\[a-z\]?/$t/")" "$f" || { echo "$table: $f does not name $t"; status=1; }
    done
    for f in $tests; do
        [ -f "$f" ] || { echo "$table: $t: there is no $f"; status=1; }
    done
done <$table
exit $status
