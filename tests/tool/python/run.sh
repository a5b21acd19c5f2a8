#!/bin/sh
# run.sh BUILD SOURCE LIBRARY: pytest with the module and the library of this build.
set -eu
python=/usr/bin/python3
"$python" -c 'import cffi, pytest' 2>/dev/null || { echo "python3-cffi or python3-pytest is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PYTHONPATH="$1/python" P5SCOPE_LIBRARY="$3" P5_SOURCE="$2" P5_TESTPROGS="$1/testprogs" PYTHONDONTWRITEBYTECODE=1 MPLCONFIGDIR="$work"
# A locale with a decimal comma, if the machine has its source.
if localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" 2>/dev/null; then
    export LOCPATH="$work"
fi
"$python" -m pytest -q -p no:cacheprovider "$2/tests/tool/python"
