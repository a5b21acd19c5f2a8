#!/bin/bash
# case.sh SYSTEM NASM FILE.asm [P5SCOPE]: assembles the DOS program and runs it in SYSTEM, p5scope or dosbox. Comment lines at the top of
# the source say how: ";! name N.EXE" (else its own name with .COM), ";! arguments A B", ";! options" of p5scope, ";! input TEXT" (printf's escapes), ";! status N",
# ";! dosbox WHY" (not in DOSBox), ";! last line" (no other is compared),
# ";! after LINE" (only what comes after that line is compared), and ";! LINE" for each line of output after ";! output".
set -u
system=$1 nasm=$2 source=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
directive() { sed -n "s/^;! $1 *//p" "$source" | head -n 1; }
name=$(directive name)
[ -n "$name" ] || { name=$(basename "$source" .asm); name=${name:0:8}.com; }
"$nasm" -f bin -I "$(dirname "$source")/" -o "$work/$name" "$source" || exit 1
printf "$(directive input)" >"$work/input"
sed -n '/^;! output/,$ s/^;! //p' "$source" | tail -n +2 >"$work/expected"
case $system in
p5scope)
    "$4" run --timeout 600 $(directive options) --dir "$work:rw" "$work/$name" $(directive arguments) <"$work/input" >"$work/came" 2>&1
    ended=$? status=$(directive status)
    [ $ended = "${status:-0}" ] || { cat "$work/came"; echo "$name: expected [${status:-0}], came [$ended]"; exit 1; }
    ;;
dosbox)
    why=$(directive dosbox)
    [ -z "$why" ] || { echo "not in DOSBox: $why"; exit 77; }
    command -v dosbox >/dev/null || { echo "no dosbox"; exit 77; }
    printf '[sdl]\noutput=surface\n[cpu]\ncore=normal\ncycles=max\n[autoexec]\nmount c "%s"\nc:\n%s %s > came.txt\nexit\n' \
        "$work" "$name" "$(directive arguments)" >"$work/dosbox.conf"
    SDL_VIDEODRIVER=dummy SDL_AUDIODRIVER=dummy timeout 600 dosbox -conf "$work/dosbox.conf" >/dev/null 2>&1
    cat "$work"/[cC][aA][mM][eE].[tT][xX][tT] >"$work/came"
    ;;
esac
[ -z "$(directive last)" ] || { printf '%s' "$(tail -n 1 "$work/came")" | grep -o '[^ ]*$' >"$work/last" && mv "$work/last" "$work/came"; }
after=$(directive after)
tr -d '\r' <"$work/came" | { [ -z "$after" ] && cat || sed "1,/^$after\$/d"; } | diff "$work/expected" - || { echo "$name: expected <, came >"; exit 1; }
