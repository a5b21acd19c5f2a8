#!/bin/sh
# man_page.sh SCDOC <SOURCE >PAGE: a man page. Its first line says if man(1) is to make tables of it, which scdoc leaves out.
set -eu
page=$("$1")
case $page in
*'
.TS'*) printf "'\\\\\" t\n" ;;
esac
printf '%s\n' "$page"
