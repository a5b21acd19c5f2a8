#!/bin/sh
# same_document.sh DOCUMENT GENERATOR ARGUMENT...: what the generator writes (to its argument "-") is the document as it stands.
set -u
document=$1 generator=$2
shift 2
made=$(mktemp) || exit 1
trap 'rm -f "$made"' EXIT
for argument; do
    shift
    [ "$argument" = - ] && argument=$made
    set -- "$@" "$argument"
done
"$generator" "$@" || exit 1
diff -u "$document" "$made" && exit 0
echo "$document is out of date: ninja -C build events_doc"
exit 1
