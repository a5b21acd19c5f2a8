#!/bin/sh
# run.sh PROGRAM GUESTS NAME.out [--rebase]: NAME.out has commands, each after `$ `, and what they print. Runs each command with sh, where `p5scope`
# is PROGRAM and $GUESTS the folder of guest programs, and compares what it prints (both streams, then the exit status) with the lines that follow.
# Lines that begin with `## ` are comments. --rebase, or P5_REBASE=1, writes NAME.out anew from its comments and commands.
set -u
program=$1 guests=$2
[ -d "$guests" ] && guests=$(cd "$guests" && pwd)
[ "${4:-}" = --rebase ] && P5_REBASE=1
here=$(cd "$(dirname "$3")" && pwd)
expected=$here/$(basename "$3")
program=$(cd "$(dirname "$program")" && pwd)/$(basename "$program")
[ -x "$program" ] || { echo "no program at $program"; exit 1; }
if grep -q '^\$.*\$GUESTS' "$expected" && [ ! -d "$guests" ]; then
    echo "no guest programs at '$guests': skipped"
    exit 77
fi

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
ln -s "$program" "$scratch/p5scope"
mkdir "$scratch/work"
cd "$scratch/work" || exit 1
[ -d "$here/data" ] && cp "$here"/data/* .

# Nothing of the caller's surroundings may show.
export PATH="$scratch:$PATH" GUESTS="$guests" LC_ALL=C NO_COLOR=1
unset ARGP_HELP_FMT COLUMNS 2>/dev/null

while IFS= read -r line; do
    case $line in '## '* | '$ '*) printf '%s\n' "$line" ;; esac
    case $line in '$ '*) ;; *) continue ;; esac
    sh -c "${line#??}" 2>&1 </dev/null
    printf '[%d]\n' $?
done <"$expected" |
    # what differs from host to host and from version to version
    sed -e "s|$guests|GUESTS|g" -e 's/p5scope [0-9][0-9.]*/p5scope VERSION/' -e 's/"p5scope":"[0-9.]*"/"p5scope":"VERSION"/' \
        -e 's/^ *[0-9.]* seconds on the host.*/       HOST seconds on the host/' -e 's/"host":{[^}]*}/"host":{}/' >"$scratch/got"

if [ -n "${P5_REBASE:-}" ]; then
    cp "$scratch/got" "$expected"
    echo "rebased $expected"
    exit 0
fi
if ! diff -u "$expected" "$scratch/got" >"$scratch/diff" 2>&1; then
    echo "$expected: - expected, + got (if the new text is right: P5_REBASE=1)"
    cat "$scratch/diff"
    exit 1
fi
