#!/usr/bin/env bash
# completion_others.sh PROGRAM FOLDER: what zsh and fish offer, for those of them that are installed; every one must at least be well-formed.
set -u
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
ln -s "$1" "$scratch/p5scope"
export PATH=$scratch:$PATH
status=0 looked=0
expect() { # WHAT EXPECTED CAME: every word of EXPECTED is a line of CAME
    for word in $2; do
        grep -qxF -e "$word" <<<"$3" || { echo "FAIL: $1: expected $word, came: $(tr '\n' ' ' <<<"$3" | cut -c1-200)"; status=1; }
    done
}

if command -v zsh >/dev/null; then
    looked=1
    # compadd shows what it is given; the word that is completed is the last
    zsh_offers() {
        zsh -f -c 'compdef() { :; }; compset() { :; }; _files() { echo FILES; }
            compadd() { shift; print -l -- "$@"; }
            source "$1"; shift; words=("$@"); CURRENT=$#; _p5scope' zsh "$2/completion.zsh" "${@:3}"
    }
    expect "zsh: verbs" "stat run trace" "$(zsh_offers - "$2" p5scope '')"
    expect "zsh: events" "data_read_miss clocks" "$(zsh_offers - "$2" p5scope stat -e '')"
    expect "zsh: formats" "csv vcd kanata" "$(zsh_offers - "$2" p5scope trace --format '')"
    expect "zsh: options" "--fast-forward" "$(zsh_offers - "$2" p5scope stat --f)"
    expect "zsh: files" "FILES" "$(zsh_offers - "$2" p5scope stat '')"
fi
if command -v fish >/dev/null; then
    looked=1
    fish_offers() { HOME=$scratch fish --no-config -c "source $1/completion.fish; complete -C '$2'" | cut -f1; }
    expect "fish: verbs" "stat run trace" "$(fish_offers "$2" 'p5scope ')"
    expect "fish: events" "data_read_miss clocks" "$(fish_offers "$2" 'p5scope stat -e ')"
    expect "fish: formats" "csv vcd kanata" "$(fish_offers "$2" 'p5scope trace --format ')"
    expect "fish: options" "--fast-forward" "$(fish_offers "$2" 'p5scope stat --f')"
fi
[ $looked = 1 ] || { echo "neither zsh nor fish is installed"; exit 77; }
exit $status
