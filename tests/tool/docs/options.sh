#!/bin/bash
# options.sh P5SCOPE SOURCE COMPLETION: every option of every verb is in a manual page and in the completion, and those know no others; every page of help fits
# a screen of 24 lines and 80 columns.
set -u
program=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" && ln -s "$program" "$work/bin/p5scope" && export PATH="$work/bin:$PATH"
status=0
fail() { echo "FAIL: $*" >&2; status=1; }

# shellcheck disable=SC1091
source "$3"
compopt() { :; } # only within a real completion
complete_words() { # WORD...: the last one is being typed
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _p5scope
    printf '%s\n' "${COMPREPLY[@]}"
}

verbs=$(p5scope --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
[ "$(wc -w <<<"$verbs")" -ge 12 ] || fail "verbs: $verbs"
[ "$(complete_words p5scope '' | grep -v "^-" | sort | tr '\n' ' ')" = "$(sort <<<"$verbs" | tr '\n' ' ')" ] || fail "completion of verbs: $(complete_words p5scope '')"
for verb in $verbs; do
    # as argp shows them: "  -x, --name=VALUE  text", "      --name ..."
    p5scope "$verb" --help=all | sed -n 's/^  \(-[A-Za-z], \|    \)--\([a-z0-9-]*\).*/--\2/p' | sort >"$work/options"
    page=$source/docs/p5scope-$verb.1.scd
    [ -f "$page" ] || { fail "no manual page of $verb"; continue; }
    grep -q "See \*p5scope-$verb\*(1)\." "$source/docs/p5scope.1.scd" || fail "p5scope(1) says nothing of $verb"
    grep -hoE -e '\*--[a-z0-9-]+\*' "$page" "$source/docs/p5scope-run.1.scd" | tr -d '*' | sort -u >"$work/known"
    comm -23 "$work/options" "$work/known" >"$work/missing"
    [ ! -s "$work/missing" ] || fail "p5scope-$verb(1) says nothing of $(tr '\n' ' ' <"$work/missing")"
    # what stands at the beginning of an entry is an option of the verb
    sed -n '/^# OPTIONS/,/^# [A-NP-Z]/p' "$page" | grep -E '^\*-' | grep -oE -e '\*--[a-z0-9-]+\*' | tr -d '*' | sort -u | comm -23 - "$work/options" >"$work/stale"
    [ ! -s "$work/stale" ] || fail "p5scope-$verb(1) has options that are none: $(tr '\n' ' ' <"$work/stale")"
    complete_words p5scope "$verb" -- | sed '/^$/d' | sort >"$work/completed"
    cmp -s "$work/options" "$work/completed" || fail "completion of $verb: $(diff "$work/options" "$work/completed" | tr '\n' ' ')"
    for page in '' $(p5scope "$verb" --help | sed -n 's/^More options: //p' | grep -oE 'machine|guest|kernel'); do
        p5scope "$verb" --help${page:+=$page} >"$work/help" || fail "$verb --help=$page: status $?"
        awk -v what="$verb --help${page:+=$page}" 'length > 79 { print what ": a line of " length; bad = 1 } END { if (NR > 23) { print what ": " NR " lines"; bad = 1 } exit bad }' \
            "$work/help" || fail "help does not fit a screen"
    done
done
for page in "$source"/docs/p5scope-*.[57].scd; do
    name=$(basename "$page" .scd)
    grep -qF "*${name%.*}*(${name##*.})" "$source/docs/p5scope.1.scd" || fail "p5scope(1) does not lead to $name"
done
# What an option's value may be.
[ "$(complete_words p5scope stat -e data_read_mi | head -1)" = data_read_miss ] || fail "completion of events"
[ "$(complete_words p5scope stat --model p54c-13)" = p54c-133 ] || fail "completion of models"
[ "$(complete_words p5scope trace --format sq)" = sqlite ] || fail "completion of formats"
[ -z "$(complete_words p5scope run -- ./guest --)" ] || fail "options are completed among the guest's arguments"
exit $status
