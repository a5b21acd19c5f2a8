#!/usr/bin/env bash
# Every form of the instruction table is executed: by snippets.c, which begins a snippet with each of its forms, or by who stands in
# system_forms.txt.   coverage.sh LEFT_OUT SYSTEM_FORMS
set -euo pipefail
missing=$(comm -23 <(sort -u "$1") <(cut -f 1 "$2" | sort -u))
if [ -n "$missing" ]; then
    echo "no test executes these forms of src/isa/instructions.tsv (tests/differential/system_forms.txt):"
    echo "$missing"
    exit 1
fi
