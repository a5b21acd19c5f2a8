#!/bin/bash
# Makes docs/sentences.md from events/sentences.tsv; fails on a row without a test, or whose test is not there.
#   sentences.sh TREE          is the document what the table says?
#   sentences.sh TREE --write  writes it
set -euo pipefail
tree=$1
made=$(mktemp)
trap 'rm -f "$made"' EXIT
{
    echo "# What the documents say, sentence by sentence"
    echo
    echo "Made from \`events/sentences.tsv\` by \`tests/lint/sentences.sh\`. Numbers are sections of the embedded manual's chapter 26; RDPMC is the Pentium Pro's"
    echo "description, perfmon 3 architectural performance monitoring, version 3, the article an account of RDPMC in user mode."
    echo
    echo "| where | what it says | tested by |"
    echo "|---|---|---|"
} >"$made"
line=0 bad=0
while IFS= read -r row; do
    line=$((line + 1))
    [[ $row == '#'* ]] && continue
    IFS=$'\t' read -r section sentence tests rest <<<"$row"
    if [ -z "$section" ] || [ -z "$sentence" ] || [ -z "$tests" ] || [ -n "$rest" ]; then
        echo "events/sentences.tsv:$line: expected SECTION, SENTENCE and TEST" >&2
        bad=1
        continue
    fi
    if [[ $tests == 'cannot: '?* ]]; then
        shown="cannot hold: ${tests#cannot: }"
    else
        shown=
        for file in $tests; do
            [ -f "$tree/$file" ] || { echo "events/sentences.tsv:$line: there is no $file" >&2; bad=1; }
            shown+="${shown:+, }[${file##*/}](../$file)"
        done
    fi
    echo "| $section | $sentence | $shown |" >>"$made"
done <"$tree/events/sentences.tsv"
[ "$bad" = 0 ]
if [ "${2:-}" = --write ]; then
    cp "$made" "$tree/docs/sentences.md"
else
    diff -u "$tree/docs/sentences.md" "$made" || { echo "docs/sentences.md is not what the table says: $0 $tree --write" >&2; exit 1; }
fi
