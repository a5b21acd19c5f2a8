#!/bin/bash
# merge.sh PROGRAM GUESTS SOURCE: results of several runs in one database; what cannot be added is reported, and nothing is lost; the examples of
# docs/sweeps.md.
set -u
program=$1 guests=$2 source=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
fail() { echo "FAIL: $*" >&2; exit 1; }
for tool in jq sqlite3; do command -v "$tool" >/dev/null || { echo "no $tool: skipped"; exit 77; }; done
mkdir bin && ln -s "$program" bin/p5scope && export PATH="$work/bin:$PATH"
cp "$guests/quicksort" "$guests/hello" .

p5scope stat -j -o a.json ./quicksort 1 >/dev/null
p5scope stat -j -o b.json --model p54c-133 ./quicksort 1 >/dev/null
p5scope stat -j -o c.json -e data_read:u,clocks ./hello >/dev/null
p5scope trace -o d.db -I 100000c ./quicksort 1 >/dev/null
p5scope stat -q -j --output=again.json --threads 1 ./quicksort 1 >/dev/null # the same run into another file, and in one thread
cat a.json b.json >ab.json
p5scope stat -j -o whole.json --model p54c-100 ./quicksort 1 >/dev/null
head -20 whole.json >cut.json
head -c 3000 whole.json >torn.json
echo '{"some":"thing"}' >foreign.json
echo 'no JSON' >foreign.txt
sqlite3 foreign.db 'CREATE TABLE x (y)'
: >empty.json

p5scope merge -o all.db a.json b.json c.json d.db 2>messages || { cat messages; fail "merge"; }
grep -q '4 runs added' messages || fail "four runs: $(cat messages)"
state() { sqlite3 all.db 'SELECT count(*) FROM run; SELECT count(*) FROM interval; SELECT count(*), sum(value) FROM value; SELECT count(*) FROM event'; }
before=$(state)
[ "$(sqlite3 all.db 'PRAGMA integrity_check; PRAGMA foreign_key_check')" = ok ] || fail "integrity"
for file in a b; do
    model=$(jq -r 'select(.model).model' $file.json)
    jq -r 'select(.event and has("value")) | "\(.event) \(.value)"' $file.json | sort >want
    sqlite3 -separator ' ' all.db "SELECT event, value FROM total t JOIN run r ON r.id = t.run WHERE r.kind = 'stat' AND t.model = '$model'
        AND t.command LIKE '%quicksort%'" | sort >got
    diff want got >difference || { head difference; fail "$file.json: other totals in the database"; }
done
sqlite3 all.db "SELECT count(*) FROM total t JOIN run r ON r.id = t.run JOIN total u USING (event) JOIN run s ON s.id = u.run
    WHERE r.kind = 'trace' AND s.source = 'a.json' AND t.value <> u.value" | grep -qx 0 || fail "trace and stat of the same run differ"

# The same run as intervals of stat and as traces in JSON lines, totals and deltas: their rows are those of the database that trace writes itself.
p5scope stat -j -I 100000c --summary -o i.json ./quicksort 1 >/dev/null
p5scope trace -o t.jsonl -I 10000c --at checksum ./quicksort 1 >/dev/null
p5scope trace -o u.jsonl -I 10000c --at checksum --deltas ./quicksort 1 >/dev/null
p5scope trace -o t.db -I 10000c --at checksum ./quicksort 1 >/dev/null
p5scope merge -q -o lines.db i.json t.jsonl u.jsonl || fail "merge of lines"
[ "$(sqlite3 lines.db "SELECT group_concat(kind || complete, ' ') FROM run")" = "intervals1 stat1 trace1 trace1" ] ||
    fail "kinds of runs: $(sqlite3 lines.db 'SELECT * FROM run')"
for run in 3 4; do
    sqlite3 lines.db "SELECT number, kind, label, clock, instructions, address, cpl, argument, value, cesr, ctr0, ctr1 FROM interval WHERE run = $run" >got
    sqlite3 t.db "SELECT number, kind, label, clock, instructions, address, cpl, argument, value, cesr, ctr0, ctr1 FROM interval" >want
    [ "$(wc -l <want)" -gt 100 ] && cmp -s want got || { diff want got | head; fail "rows of run $run are not those of the database"; }
    sqlite3 lines.db "SELECT i.number, e.name, e.mode, e.event, v.value FROM value v JOIN event e ON e.id = v.event JOIN interval i ON i.id = v.interval WHERE run = $run ORDER BY 1, 2" >got
    sqlite3 t.db "SELECT i.number, e.name, e.mode, e.event, v.value FROM value v JOIN event e ON e.id = v.event JOIN interval i ON i.id = v.interval ORDER BY 1, 2" >want
    cmp -s want got || { diff want got | head; fail "values of run $run are not those of the database"; }
done
sqlite3 lines.db "SELECT event, value FROM total WHERE run = 1 AND value <> 0 ORDER BY event" >got # intervals add up to stat
sqlite3 lines.db "SELECT event, value FROM total WHERE run = 2 AND value <> 0 ORDER BY event" >want
[ "$(wc -l <want)" -gt 30 ] && cmp -s want got || { diff want got | head; fail "the intervals do not add up to the run"; }
[ "$(sqlite3 lines.db 'SELECT count(*), max(clock), max(instructions) FROM interval WHERE run = 1')" = \
    "$(sqlite3 lines.db 'SELECT clocks / 100000 + 1, clocks, instructions FROM run WHERE id = 2')" ] || fail "intervals of stat: $(sqlite3 lines.db 'SELECT number, clock, instructions FROM interval WHERE run = 1')"

refuse() { # FILE MESSAGE
    p5scope merge -o all.db "$1" 2>messages
    [ $? = 1 ] || fail "$1: status $? instead of 1"
    grep -q "$1.*$2" messages || { cat messages; fail "$1: message without '$2'"; }
    [ "$(state)" = "$before" ] || fail "$1: the database has changed"
}
refuse again.json 'already'
refuse a.json 'already'
refuse ab.json 'already' # nothing of it, although it holds two
refuse d.db 'already'
refuse cut.json 'cut off'
refuse torn.json 'cut off'
refuse foreign.json 'not a result'
refuse foreign.txt 'not a result'
refuse foreign.db 'not one of p5scope'
refuse empty.json 'no run'
grep -v '"row":3,' t.jsonl >gap.jsonl
sed '$d' t.jsonl >endless.jsonl
sed '/"row":2,/p' t.jsonl >again.jsonl
sed '/"row":5,/s/"clocks":[0-9]*,//' t.jsonl >other.jsonl
grep -v '"interval":.*"summary"' i.json >cut-interval.json
head -1000 i.json | sed '/^{"summary"/,$d' >endless.json
p5scope trace -q -o z.jsonl.zst -I 100000c ./hello >/dev/null
refuse gap.jsonl 'row 3 is missing: this is row 4'
refuse endless.jsonl 'cut off'
refuse again.jsonl 'row 3 is missing: this is row 2'
rows=$(grep -c '"row":' t.jsonl)
sed '$s/"rows":[0-9]*/"rows":1/' t.jsonl >fewer.jsonl
refuse fewer.jsonl "the summary is of 1 rows, but there are $rows"
refuse other.jsonl 'other counters'
sed '/"row":5,/s/"clocks":[0-9]*,/"clocks":null,/' t.jsonl >null.jsonl
refuse null.jsonl 'a value is null'
refuse cut-interval.json 'cut off'
refuse endless.json 'cut off'
refuse z.jsonl.zst 'zstd -d'
refuse missing.json 'cannot open'
refuse all.db 'itself'
# one that is refused does not keep the others out
p5scope stat -j -o e.json --clock 100 ./hello >/dev/null
p5scope merge -q -o all.db cut.json e.json 2>messages && fail "a cut file among others: status 0"
sqlite3 all.db 'SELECT count(*) FROM run' | grep -qx 5 || fail "the good file among bad ones was lost"
# a file that is no database is not overwritten
cp foreign.txt out.db
p5scope merge -o out.db e.json 2>messages && fail "merged into a text"
cmp -s foreign.txt out.db || fail "a text was overwritten"
# several at once
for i in 1 2 3 4; do p5scope stat -j -o p$i.json --seed $i ./hello >/dev/null; done
for i in 1 2 3 4; do p5scope merge -q -o together.db p$i.json & done
wait
sqlite3 together.db 'SELECT count(*) FROM run' | grep -qx 4 || fail "four processes at once lost a run"

# Another build of the same path is another run; so is the same under another label; the same under the same is not.
cp quicksort guest && p5scope stat -q -j -o first.json ./guest 1 >/dev/null
cp hello guest && p5scope stat -q -j -o second.json ./guest 1 >/dev/null
[ "$(head -1 first.json | jq -r '."guest-sha256"')" = "$(sha256sum <quicksort | cut -d' ' -f1)" ] || fail "the guest's SHA-256: $(head -1 first.json)"
p5scope trace -q -o first.db ./quicksort 1 >/dev/null
p5scope merge -q -o history.db first.json second.json || fail "another build of the same path was refused"
p5scope merge -q -o history.db --label v1 first.json first.db || fail "a label"
p5scope merge -q -o history.db --label v2 first.json first.db || fail "another label"
p5scope merge -q -o history.db --label v2 first.json 2>messages && fail "the same run under the same label"
p5scope merge -q -o history.db --label v2 first.db 2>messages && fail "the same trace under the same label"
[ "$(sqlite3 history.db "SELECT group_concat(coalesce(label, '-'), ' ') FROM run")" = "- - v1 v1 v2 v2" ] || fail "labels: $(sqlite3 history.db 'SELECT label FROM run')"
[ "$(sqlite3 history.db 'SELECT count(DISTINCT guest_sha256) FROM run WHERE kind = "stat"')" = 2 ] || fail "hashes"

# A run's identity is what its writer recorded: names with blanks, quotes, newlines and leading dashes neither make a run another one nor another one
# the same.
cp hello './-a b'"'"'c'
p5scope stat -q -j -o 'one report.json' -- './-a b'"'"'c' 'x y' "q'u" '' >/dev/null
p5scope stat -j -q --threads=1 --output='a -o b' --argv0 "-a b'c" "$PWD/-a b'c" 'x y' "q'u" '' >/dev/null
p5scope stat -qjo lines.json "$PWD/-a b'c" "x
y" >/dev/null
p5scope stat -qjo words.json "$PWD/-a b'c" x y "q'u" '' >/dev/null
p5scope stat -qjo variable.json --env 'A=b c' "$PWD/-a b'c" >/dev/null
p5scope stat -qj -o values.json --env A=b --env c "$PWD/-a b'c" >/dev/null
p5scope merge -q -o odd.db 'one report.json' lines.json words.json variable.json values.json 2>messages || { cat messages; fail "odd names"; }
for again in 'a -o b' 'one report.json' words.json; do
    p5scope merge -q -o odd.db "$again" 2>messages && fail "$again: the same run was taken again"
    grep -q 'already in odd.db' messages || { cat messages; fail "$again: no message"; }
done
[ "$(sqlite3 odd.db "SELECT identity ->> '\$.run.argv' FROM run" | head -1)" = "[\"-a b'c\",\"x y\",\"q'u\",\"\"]" ] || fail "argv: $(sqlite3 odd.db 'SELECT identity FROM run')"
# A model file is known by what it says, a file that the guest is made of by its contents.
p5scope run --model p54c-133 --dump-config >mine.ini && mkdir other && cp mine.ini other/mine.ini
p5scope stat -qj -o f1.json --model mine.ini ./hello >/dev/null
p5scope stat -qj -o f2.json --model other/mine.ini ./hello >/dev/null
sed 's/^misaligned = .*/misaligned = 7/' mine.ini >other/mine.ini
p5scope stat -qj -o f3.json --model other/mine.ini ./hello >/dev/null
p5scope merge -q -o models.db f1.json f3.json || fail "another model of the same name is the same run"
p5scope merge -q -o models.db f2.json 2>messages && fail "the same model of another path is another run"
# What an older version wrote has no identity: it is known by its words as they are.
for i in a again; do sed '1s/"identity":{[^}]*},//' $i.json >old-$i.json; done
p5scope merge -q -o old.db old-a.json old-again.json || fail "results without an identity"
p5scope merge -q -o old.db old-a.json 2>messages && fail "a result without an identity was taken twice"

# Runs of different revisions of the model, or of an unknown one, are merged and compared with a warning; those of one revision without.
warned() { grep -c 'different revisions of the model' messages; }
p5scope merge -q -o same.db a.json d.db t.jsonl 2>messages && [ "$(warned)" = 0 ] || { cat messages; fail "a warning about one revision"; }
p5scope stat --compare a.json b.json >/dev/null 2>messages && [ "$(warned)" = 0 ] || { cat messages; fail "a warning about one revision"; }
sed '1s/"model_revision":[0-9]*/"model_revision":9999/' b.json >revised.json
sed '1s/"model_revision":[0-9]*,//' b.json >unrevised.json
for other in revised:9999 'unrevised:not stated'; do
    p5scope stat --compare a.json "${other%:*}.json" >/dev/null 2>messages || fail "a comparison with another revision"
    grep -q "different revisions of the model (A: [0-9]*, B: ${other#*:})" messages || { cat messages; fail "stat --compare: ${other%:*}"; }
    p5scope merge -q -o "${other%:*}.db" "${other%:*}.json" 2>messages && [ "$(warned)" = 0 ] || { cat messages; fail "a warning about one run"; }
    p5scope merge -q -o "${other%:*}.db" a.json 2>messages || fail "a merge with another revision"
    grep -q "different revisions of the model (.*${other#*:}" messages || { cat messages; fail "merge: ${other%:*}"; }
done

# Results that counted different parts of a guest are compared and merged with a warning, which names the option and its values.
for part in 'whole:' 'main:--roi main' 'sum:--roi checksum' 'fast:--fast-forward 1000'; do
    p5scope stat -q -j -o "${part%%:*}.json" ${part#*:} ./quicksort 1 >/dev/null
done
p5scope stat -q -j -o hello.json --roi main ./hello >/dev/null
differ() { grep -c 'the runs differ in' messages; }
p5scope stat --compare main.json main.json >/dev/null 2>messages && [ "$(differ)" = 0 ] || { cat messages; fail "a warning about one region"; }
p5scope stat --compare whole.json b.json >/dev/null 2>messages && [ "$(differ)" = 0 ] || { cat messages; fail "a warning about whole runs"; }
p5scope merge -q -o part.db whole.json hello.json 2>messages && [ "$(differ)" = 0 ] || { cat messages; fail "a warning about two guests"; }
p5scope stat --compare old-a.json main.json >/dev/null 2>messages && [ "$(differ)" = 0 ] || { cat messages; fail "a warning without an identity"; }
p5scope stat --compare whole.json main.json sum.json >/dev/null 2>messages || fail "a comparison of regions"
grep -q 'warning: the runs differ in --roi (A: not given, B: main, C: checksum); they counted' messages || { cat messages; fail "compare: --roi"; }
p5scope stat --compare whole.json fast.json >/dev/null 2>messages
grep -q 'warning: the runs differ in --fast-forward (A: not given, B: 1000); they counted' messages || { cat messages; fail "compare: --fast-forward"; }
p5scope merge -q -o part.db main.json sum.json 2>messages || fail "a merge of regions"
grep -q 'warning: the runs differ in --roi (checksum,main,not given); they counted' messages || { cat messages; fail "merge: --roi"; }
p5scope stat -q -o report --baseline main.json --expect 'clocks<=base*9' ./quicksort 1 >/dev/null 2>messages || fail "a baseline of a region"
grep -q 'warning: the runs differ in --roi (baseline: main, this run: not given); they counted' messages || { cat messages; fail "baseline: --roi"; }
p5scope stat -q -o report --baseline main.json --expect 'clocks<=base' --roi main ./quicksort 1 >/dev/null 2>messages || fail "a baseline of the same region"
[ "$(differ)" = 0 ] || { cat messages; fail "a warning about the baseline's region"; }
sed '1s/"model_revision":[0-9]*/"model_revision":9999/' whole.json >revised.json
p5scope stat -q -o report --baseline revised.json --expect 'clocks<=base' ./quicksort 1 >/dev/null 2>messages
grep -q 'different revisions of the model (baseline: 9999, this run: [0-9]*)' messages || { cat messages; fail "baseline: another revision"; }

# A run that a signal, a fault or a time-out has cut short is merged with a warning. One that the guest or a limit has ended is complete: it needs none, and
# can be a baseline. RDPMC faults without --pce; the flat guests are HLT, UD2 without an IDT, and JMP to itself.
cp "$guests/rdpmc" .
printf '\xf4' >halt && printf '\x0f\x0b' >fault && printf '\xeb\xfe' >loop
flat=--flat=0x100000
p5scope stat -qj -o signal.json ./rdpmc >/dev/null 2>&1
p5scope trace -q -I 1000c -o signal.db ./rdpmc >/dev/null 2>&1
p5scope stat -qj -o fault.json $flat fault 2>/dev/null
p5scope stat -qj -o timeout.json --timeout 0.1 $flat loop 2>/dev/null
p5scope stat -qj -o limit.json --max-instructions 99 $flat loop 2>/dev/null
p5scope stat -qj -o halt.json $flat halt 2>/dev/null
p5scope trace -q -I 1000c -o halt.jsonl $flat halt 2>/dev/null
while read -r name text; do
    p5scope merge -q -o ended.db $name 2>messages || fail "a merge of $name"
    grep -q "warning: $name: the run was cut short ($text" messages || { cat messages; fail "$name: no warning"; }
done <<'END'
signal.json Segmentation fault at
signal.db Segmentation fault at
fault.json Processor shut down
timeout.json Stopped by --timeout
END
p5scope merge -q -o ended.db limit.json halt.json halt.jsonl 2>messages || fail "a merge of complete runs"
grep 'cut short' messages && fail "a warning about a complete run"
p5scope stat -q -o report --baseline halt.json --expect 'clocks<=base' $flat halt 2>messages || { cat messages; fail "a baseline that halts"; }
p5scope stat --compare --threshold 1 halt.json halt.json >/dev/null || fail "a comparison of runs that halt"
p5scope stat -q -o report --baseline fault.json --expect 'clocks<=base' $flat halt 2>messages && fail "a baseline that was cut short"

# Names that SQLite itself reads as something else are files, too; the reason for a file that cannot be made is the host's.
mkdir names && cd names || exit 1
for name in :memory: 'file:x?mode=ro' 'a b.db'; do
    mkdir to && p5scope trace -q --format sqlite -o "$name" -I 100000c ../quicksort 1 >/dev/null && mv "$name" trace || fail "a trace called $name"
    p5scope merge -q -o "$name" ../a.json && p5scope merge -q -o to/all.db "$name" && mv trace "$name" && p5scope merge -q -o to/all.db "$name" ||
        fail "a database called $name"
    [ "$(sqlite3 to/all.db 'SELECT count(*) FROM run')" = 2 ] || fail "the runs of $name"
    rm -r to
done
cd ..
if [ -d /sys/kernel ]; then
    p5scope merge -o /sys/kernel/x.db a.json 2>messages && fail "a database in /sys"
    grep -q 'No such file' messages && fail "the reason: $(cat messages)"
fi

# The scripts of docs/sweeps.md, as they stand there.
example() { awk -v name="$1" '$0 == "<!-- " name " -->" { on = 1; next } on && /^```/ { if (inside) exit; inside = 1; next } inside' "$source/docs/sweeps.md"; }
mkdir commits && cd commits && mkdir bin && printf '#!/bin/sh\necho $LABEL\n' >bin/git && chmod +x bin/git || exit 1
example commits >job.sh && example history >history.sql && [ -s job.sh ] && [ -s history.sql ] || fail "docs/sweeps.md has no example 'commits'"
for LABEL in one two; do
    cp "$guests/quicksort" quicksort && [ $LABEL = one ] || printf 'x' >>quicksort # another build
    LABEL=$LABEL PATH=$PWD/bin:$PATH bash -eu job.sh >out 2>&1 || { cat out; fail "the job of a commit"; }
done
sqlite3 history.db <history.sql >table
[ "$(sed -n '2s/.*|\(0|0.0\)$/\1/p' table)" = "0|0.0" ] && grep -q '^one|' table || { cat table; fail "the query over commits"; }
cd ..
command -v parallel >/dev/null || { echo "no GNU parallel: its part is skipped"; exit 0; }
mkdir sweep && cp quicksort sweep/quicksort && cp "$guests/sieve" sweep/sieve && cd sweep || exit 1
example parallel >sweep.sh
[ -s sweep.sh ] || fail "docs/sweeps.md has no example 'parallel'"
PARALLEL_HOME=$work/parallel bash -eu sweep.sh >out 2>&1 || { cat out; fail "the example with GNU parallel"; }
[ "$(sqlite3 sweep.db 'SELECT count(*), count(DISTINCT model), count(DISTINCT command) FROM run WHERE complete')" = "8|2|4" ] ||
    fail "the sweep is not whole: $(sqlite3 sweep.db 'SELECT model, command FROM run')"
example query >query.sql
sqlite3 sweep.db <query.sql >table || fail "the query of the example"
[ "$(wc -l <table)" -ge 4 ] || { cat table; fail "the query shows nothing"; }
# The Slurm job: the same list, a line per task.
example slurm >job.sh
rm -rf results && mkdir results
for task in 1 2 3; do SLURM_ARRAY_TASK_ID=$task bash -eu job.sh >out 2>&1 || { cat out; fail "task $task of the Slurm job"; }; done
[ "$(ls results | wc -l)" = 3 ] || fail "the Slurm job: $(ls results)"
p5scope merge -q -o slurm.db results/*.json || fail "merging what the Slurm job wrote"
# If Slurm is here: sbatch takes the job and its options. Without a cluster it gets as far as looking for the controller.
if command -v sbatch >/dev/null; then
    printf 'ClusterName=none\nSlurmctldHost=localhost(127.0.0.1)\nSlurmctldPort=1\nSlurmctldTimeout=1\nMessageTimeout=1\nAuthType=auth/none\nNodeName=none\n' >slurm.conf
    SLURM_CONF=$PWD/slurm.conf timeout 300 sbatch --test-only --array=1-8%64 job.sh >out 2>&1
    grep -qi 'unrecognized option\|invalid\|unknown option\|usage:' out && { cat out; fail "sbatch does not take the job"; }
    sed 's/--mem=1G/--memm=1G/' job.sh >bad.sh
    SLURM_CONF=$PWD/slurm.conf timeout 300 sbatch --test-only bad.sh >out 2>&1
    grep -qi 'unrecognized option' out || { cat out; fail "sbatch takes anything: this shows nothing"; }
else
    echo "no sbatch: whether Slurm takes the job's options was not tested"
fi

# Over ssh, to this machine: the example with other names of machines. Needs an ssh server's program, which is started for this test alone, on a
# port of its own, for a key of its own.
sshd=$(PATH=$PATH:/usr/sbin:/usr/local/sbin command -v sshd) && command -v ssh >/dev/null && command -v rsync >/dev/null ||
    { echo "no sshd, ssh or rsync (Debian: openssh-server rsync): the sweep over ssh was not tested"; exit 0; }
ssh-keygen -q -t ed25519 -N '' -f host_key && ssh-keygen -q -t ed25519 -N '' -f key || fail "ssh-keygen"
port=$((20000 + $$ % 20000))
cat >sshd_config <<END
Port $port
ListenAddress 127.0.0.1
HostKey "$PWD/host_key"
AuthorizedKeysFile "$PWD/key.pub"
PidFile "$PWD/sshd.pid"
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
END
mkdir -p /run/sshd 2>/dev/null # where sshd confines itself to; root's business
"$sshd" -f sshd_config -E sshd.log || { cat sshd.log; echo "sshd does not start: the sweep over ssh was not tested"; exit 0; }
trap 'kill "$(cat "$work/sweep/sshd.pid" 2>/dev/null)" 2>/dev/null; rm -rf "$work"' EXIT
ssh="ssh -p $port -i '$PWD/key' -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o BatchMode=yes"
eval "$ssh 127.0.0.1 true" 2>out || { cat out sshd.log; echo "no way in by ssh: the sweep over ssh was not tested"; exit 0; }
# p5scope is in the PATH of the other machine in the example; here its place is written out
example ssh | sed "s|8/one.example,16/two.example,:|2/127.0.0.1|; s|'p5scope |'\"$work/bin/p5scope\" |" >ssh.sh
grep -q '127.0.0.1' ssh.sh || fail "docs/sweeps.md has no example 'ssh'"
rm -rf results && mkdir over_ssh && cp quicksort sieve over_ssh && cd over_ssh || exit 1
PARALLEL_HOME=$work/parallel PARALLEL_SSH="$ssh" bash -eu ../ssh.sh >out 2>&1 || { cat out; fail "the sweep over ssh"; }
[ "$(sqlite3 sweep.db 'SELECT count(*) FROM run WHERE complete')" = 8 ] || { cat out; fail "the sweep over ssh is not whole"; }
sqlite3 -cmd "ATTACH '../sweep.db' AS local" sweep.db "SELECT a.model, a.command, a.event, a.value FROM main.total a JOIN local.total b USING (model, command, event)
    WHERE a.value <> b.value" >got
sqlite3 -cmd "ATTACH '../sweep.db' AS local" sweep.db "SELECT count(*) FROM main.total a JOIN local.total b USING (model, command, event)" >count
[ ! -s got ] && [ "$(cat count)" -gt 500 ] || { head got; fail "what came over ssh differs from what ran here"; }
