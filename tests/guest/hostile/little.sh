#!/bin/bash
# little.sh PROGRAM STATUS ARGUMENTS...: under `ulimit -v`, from what `PROGRAM --version` needs up to more than `PROGRAM ARGUMENTS` does, either it ends
# with STATUS as without a limit, or with 125 and a message that names the limit. What is less than that, the dynamic loader has to say.
set -u
program=$1 status=$2
shift 2
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
under() { (ulimit -v $((megabytes * 1024)) && exec "$@") </dev/null >"$scratch/out" 2>"$scratch/err"; }
starts=$(for ((megabytes = 8; megabytes < 4096; megabytes += 8)); do under "$program" --version && echo $megabytes && break; done) 2>/dev/null
[ -n "$starts" ] || { echo "$program --version does not run in 4 GB of address space"; exit 1; }
refused=0 ran=0
for ((megabytes = starts; ran < 20 && megabytes < 8192; megabytes += 9)); do
    under "$program" "$@"
    came=$?
    if [ $came = 125 ] && grep -q "address space is limited to $megabytes MB (ulimit -v)" "$scratch/err"; then
        refused=$((refused + 1))
    elif [ $came = "$status" ]; then
        ran=$((ran + 1))
    else
        echo "$program $*: under ulimit -v of $megabytes MB expected status $status, or 125 and the limit; came status $came and:"
        cat "$scratch/err"
        exit 1
    fi
done
echo "from $starts MB on: $refused times refused, $ran times run"
[ $refused != 0 ] && [ $ran = 20 ]
