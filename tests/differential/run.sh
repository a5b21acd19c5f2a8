#!/usr/bin/env bash
# Runs snippets on this machine's processor and under p5scope, in pieces, and compares what they write. What differs is run once more by
# itself: memory that snippets before it have written may differ where processors may, too.
#   run.sh P5SCOPE SNIPPETS COMPARE FIRST COUNT [STATES [JOBS]]
# P5SCOPE_DIFFERENTIAL=N runs N snippets instead of COUNT, each from STATES states. P5SCOPE_DIFFERENTIAL_PRICED=N: p5scope's model prices one
# piece in N (1); the others are only executed.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=parallel.sh
. "$(dirname "$0")/parallel.sh"
p5scope=$1 snippets=$2 compare=$3 first=$4 count=${P5SCOPE_DIFFERENTIAL:-$5} states=${6:-1} jobs=${7:-1} priced=${P5SCOPE_DIFFERENTIAL_PRICED:-1}
[ "$(uname -m)" = x86_64 ] && "$snippets" >/dev/null 2>&1 || { echo "this machine does not run i386 programs: skipped"; exit 77; }
vendor=$(sed -n 's/^vendor_id[^:]*: //p' /proc/cpuinfo | head -1)
both() { # first, count [, which state alone]; a string instruction may overwrite the program itself, which then does not end
    "$compare" "$vendor" <(timeout 1200 "$snippets" "$1" "$2" "$states" "${@:3}") \
        <(timeout 1200 "$p5scope" run -q --threads=1 "${only[@]}" "$snippets" "$1" "$2" "$states" "${@:3}") 1000
}
piece=$((40000 / states))
pieces() { # which of the jobs
    local begin at end said again only status=0
    for ((begin = first + $1 * piece; begin < first + count; begin += jobs * piece)); do
        at=$begin end=$((first + count - begin < piece ? first + count : begin + piece))
        only=(--save-every=1000000000000 --save=never)
        [ $(((begin - first) / piece % priced)) != 0 ] || only=()
        while [ "$at" -lt "$end" ]; do
            if said=$(both "$at" $((end - at))); then
                echo "$said"
                break
            fi
            again=$(sed -n 's/^snippet \([0-9]*\), state \([0-9]*\):.*/\1 1 \2/p' <<<"$said")
            [ -n "$again" ] || { printf 'snippets %d to %d: %s\n' "$at" "$((end - 1))" "$said"; status=1; break; }
            grep 'gone through' <<<"$said"
            at=$end
            if [ "$(wc -l <<<"$again")" -gt 50 ]; then # the first one has overwritten others, which begin anew
                again=$(head -1 <<<"$again")
                at=$((${again%% *} + 1))
            fi
            while read -r snippet; do
                # shellcheck disable=SC2086
                said=$(both $snippet) || { echo "$said"; status=1; }
            done <<<"$again"
        done
    done
    return "$status"
}
in_parallel "$jobs" pieces
