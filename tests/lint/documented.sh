#!/bin/sh
# documented.sh HEADER...: every function of a public header has a comment: before it, after it, or before the group of functions
# (without an empty line between them) that it stands in.
set -eu
status=0
for header in "$@"; do
    awk -v header="$header" '
        /^$/ { documented = 0 }
        /^\/\*/ { documented = 1 }
        /^(static inline )?[a-z][A-Za-z0-9_ ]*[ *]p5_[a-z0-9_]*\(/ || /^[a-z][A-Za-z0-9_ ]* \*const \*p5_[a-z0-9_]*\(/ {
            if (!documented && $0 !~ /\/\*/) { printf "%s:%d: no comment says what it does: %s\n", header, FNR, $0; bad = 1 }
        }
        END { exit bad }' "$header" || status=1
done
exit $status
