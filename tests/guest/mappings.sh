#!/bin/sh
# mappings.sh P5SCOPE PROGRAM: a guest that maps files, saved at places all over its run. It continues from each as it would have, unless it has a pipe or an unlinked
# file open: then the snapshot is refused, and the message names the file.
set -e
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
saved=0 pipes=0 files=0 at=12100
while :; do
    rm -rf "$here/share"
    mkdir "$here/share"
    said=$("$1" run -q --dir "$here/share:/share:rw" --max-instructions $at --save "$here/state" "$2" /share 2>&1) && status=0 || status=$?
    case $said in
    *"the guest has a pipe open, which a snapshot cannot save"*) pipes=$((pipes + 1)) ;;
    *"the guest has the renamed or deleted file /share/file open, which a snapshot cannot save"*) files=$((files + 1)) ;;
    *)
        [ -e "$here/state" ] || break # it has ended
        "$1" run -q --dir "$here/share:/share:rw" --load "$here/state" || { echo "saved after $at instructions: status $?"; exit 1; }
        rm "$here/state"
        saved=$((saved + 1))
        ;;
    esac
    at=$((at + 60))
done
[ $status = 0 ] && [ $saved -gt 2 ] && [ $pipes -gt 2 ] && [ $files -gt 2 ] && exit
echo "after $at instructions: status $status, $saved saved, refused for $pipes pipes and $files files: $said"
exit 1
