#!/bin/bash
# slurm.sh PROGRAM GUESTS SOURCE: the job array of docs/sweeps.md under a real Slurm - controller, node daemon and munge of this machine, with a
# configuration of its own -, a task that is killed and submitted again included; GNU parallel with the same list makes the same database.
set -u
program=$1 guests=$2 source=$3
export PATH=$PATH:/usr/sbin
for tool in slurmctld slurmd munged mungekey sbatch squeue scancel parallel sqlite3; do command -v $tool >/dev/null || { echo "no $tool (Debian: slurm-wlm munge parallel sqlite3): skipped"; exit 77; }; done
[ "$(id -u)" = 0 ] || { echo "not root, as slurmd has to be: skipped"; exit 77; }
work=$(mktemp -d)
daemons=()
finish() {
    for process in "${daemons[@]}"; do kill "$process" 2>/dev/null; done
    [ ! -s "$work/munge.pid" ] || kill "$(cat "$work/munge.pid")" 2>/dev/null
    wait
    rm -rf "$work"
}
trap finish EXIT
cd "$work" || exit 1
fail() { echo "FAIL: $*" >&2; tail -5 "$work"/*.log 2>/dev/null; exit 1; }
mkdir bin spool state sweep && ln -s "$program" bin/p5scope && export PATH="$work/bin:$PATH"
chmod 755 "$work"

# Munge with a key and a socket of its own, then the cluster: this machine, by its name.
mungekey --create --keyfile="$work/munge.key" || fail "mungekey"
munged --force --key-file="$work/munge.key" --socket="$work/munge.socket" --pid-file="$work/munge.pid" --log-file="$work/munge.log" --seed-file="$work/munge.seed" ||
    fail "munged does not start"
host=$(hostname -s) port=$((21000 + $$ % 20000))
cat >slurm.conf <<END
ClusterName=p5scope
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmdSpoolDir=$work/spool
StateSaveLocation=$work/state
SlurmctldTimeout=120
SlurmdTimeout=120
KillWait=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=2000 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF=$work/slurm.conf
slurmctld -D >"$work/slurmctld.log" 2>&1 &
daemons+=($!)
slurmd -D -N "$host" >"$work/slurmd.log" 2>&1 &
daemons+=($!)
until_true() { # SECONDS COMMAND...: asks again until it is true
    local last=$((SECONDS + $1))
    shift
    until "$@"; do
        [ $SECONDS -lt $last ] || return 1
        read -r -t 0.2 <> <(:)
    done
    return 0
}
up() { sinfo -h -o %T 2>/dev/null | grep -qx idle; }
until_true 60 up || fail "the node does not come up: $(sinfo 2>&1)"

example() { awk -v name="$1" '$0 == "<!-- " name " -->" { on = 1; next } on && /^```/ { if (inside) exit; inside = 1; next } inside' "$source/docs/sweeps.md"; }
cp "$guests/quicksort" "$guests/sieve" sweep && cd sweep && mkdir results || exit 1
example slurm | sed 's/--mem=1G/--mem=500M/' >job.sh
# In the first attempt task 3 is one that would run for hours, and is killed.
sed 's/^p55c-200 sieve 1$/p55c-200 sieve 1000000/' job.sh >first.sh
job=$(sbatch --parsable --array=1-8%2 first.sh) || fail "sbatch does not take the job"
running() { squeue -h -j "${job}_3" -t RUNNING -o %T 2>/dev/null | grep -q RUNNING; }
until_true 120 running || fail "task 3 does not run: $(squeue 2>&1)"
scancel "${job}_3" || fail "scancel"
over() { [ -z "$(squeue -h -j "$job" 2>/dev/null)" ]; }
until_true 300 over || fail "the array does not end: $(squeue 2>&1)"
[ "$(ls results/*.json | grep -vc 1000000)" = 7 ] || fail "seven tasks should have written a result: $(ls results)"
p5scope merge -q -o slurm.db results/*.json 2>messages
[ "$(sqlite3 slurm.db 'SELECT count(*) FROM run WHERE complete')" = 7 ] || fail "of the first attempt: $(cat messages)"
# What was killed is submitted again; merge takes what is new.
rm -f results/*1000000*
job=$(sbatch --parsable --array=3 job.sh) || fail "sbatch does not take task 3 alone"
until_true 120 over || fail "task 3 does not end"
p5scope merge -q -o slurm.db results/p55c-200-sieve-1.json || fail "the result of the second attempt"
[ "$(sqlite3 slurm.db 'SELECT count(*) FROM run WHERE complete')" = 8 ] || fail "the sweep is not whole"

# The same list under GNU parallel.
mv results slurm_results
example parallel >sweep.sh
PARALLEL_HOME=$work/parallel bash -eu sweep.sh >out 2>&1 || { cat out; fail "the example with GNU parallel"; }
difference=$(sqlite3 -cmd "ATTACH 'slurm.db' AS slurm" sweep.db "SELECT model, command, event, value FROM main.total EXCEPT SELECT model, command, event, value FROM slurm.total;
    SELECT model, command, event, value FROM slurm.total EXCEPT SELECT model, command, event, value FROM main.total" | head)
[ -z "$difference" ] || fail "the two databases differ: $difference"
[ "$(sqlite3 sweep.db 'SELECT count(*) FROM total')" -gt 500 ] || fail "too few values to compare"
echo "8 tasks under Slurm, one of them killed and run again: the same $(sqlite3 sweep.db 'SELECT count(*) FROM total') values as under GNU parallel"
