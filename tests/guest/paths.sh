#!/bin/sh
# paths.sh P5SCOPE GUEST [ARGUMENT...]: all counts are the same wherever the guest's file is, however its path is written, and whatever the
# environment of p5scope is. @FILE in an argument is a copy of FILE beside the guest.
set -eu
p5scope=$1 guest=$2
shift 2
[ -f "$guest" ] || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
deep=$work/a-folder-of-some-length/with-another-one/in-it
mkdir -p "$deep"
for option; do
    case $option in *@*) cp "${option#*@}" "$deep"; cp "${option#*@}" "$work" ;; esac
done
name=$(basename "$guest")
cp "$guest" "$work"
cp "$guest" "$deep"
count() { # FOLDER OUT PATH OPTION...: the options' @FILE is FOLDER/its name
    folder=$1 out=$2 path=$3
    shift 3
    for option; do
        shift
        case $option in *@*) option=${option%%@*}$folder/$(basename "${option#*@}") ;; esac
        set -- "$@" "$option"
    done
    status=0
    "$p5scope" stat -q -x, -o "$work/report" "$@" "$path" </dev/null >"$work/$out.output" 2>&1 || status=$?
    { echo "status $status"; sed 1d "$work/report"; } >"$work/$out.counts"
}
cd "$work"
count . first "./$name" "$@"
grep -q ,clocks, first.counts || { cat first.output first.counts; exit 1; }
count "$deep" second "$deep/$name" "$@"
(cd "$deep" && count . third "./$name" "$@" && cd .. && USER=somebody LC_ALL=de_DE.UTF-8 LONG_VARIABLE=$(seq 1 500 | tr -d '\n') count in-it fourth "in-it/$name" "$@")
for other in second third fourth; do
    diff first.counts $other.counts || { echo "the counts of the $other path differ"; exit 1; }
    diff first.output $other.output || { echo "the output of the $other path differs"; exit 1; }
done
