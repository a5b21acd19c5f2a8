#!/bin/bash
# broken_off.sh PROGRAM GUESTS KANATA_CHECK: a run that is killed, and a disk that is full, leave a file that its reader takes, with whole rows
# up to there; a full disk ends with status 125 and says why.
set -u
program=$1 guests=$2 kanata=$3
work=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill -9 $pid 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
fail() { echo "FAIL: $*" >&2; exit 1; }
for tool in jq sqlite3 vcd2fst zstd; do command -v "$tool" >/dev/null || { echo "no $tool: skipped"; exit 77; }; done

valid() { # FILE: its reader takes what is there
    case $1 in
    *.csv) awk -F, '/^#/ { next } !n { n = NF; next } NF != n { exit 1 } { rows++ } END { exit rows < 3 }' "$1" ;;
    *.jsonl) jq -es 'length > 3 and all(.[1:][]; .totals.clocks >= 0)' "$1" >/dev/null ;;
    *.jsonl.zst) zstd -tq "$1" && zstd -dcq "$1" | jq -es 'length > 3' >/dev/null ;;
    *.db) [ "$(sqlite3 "$1" 'PRAGMA integrity_check')" = ok ] &&
        [ "$(sqlite3 "$1" 'SELECT count(*) > 3 AND (SELECT complete FROM run) = 0 FROM interval')" = 1 ] &&
        [ "$(sqlite3 "$1" 'SELECT count(DISTINCT n) FROM (SELECT count(*) AS n FROM value GROUP BY interval)')" = 1 ] ;;
    *.vcd) vcd2fst "$1" "$1.fst" >/dev/null 2>messages && [ ! -s messages ] ;;
    *.json) { cat "$1"; echo '{}]'; } | jq -e 'length > 5' >/dev/null ;;
    *.kanata) "$kanata" "$1" --cut >/dev/null ;;
    esac
}

for file in t.csv t.jsonl t.jsonl.zst t.db t.vcd t.json t.kanata; do
    rows() { [ $file = t.kanata ] || echo "-I $1"; } # a pipeline log has none
    # killed, as soon as something has been written
    "$program" trace -q $(rows 20000c) -o $file "$guests/quicksort" 100000 >/dev/null 2>messages &
    pid=$!
    until
        case $file in
        *.db) [ "$(sqlite3 $file 'SELECT count(*) FROM interval' 2>/dev/null || echo 0)" -gt 3 ] ;;
        *) [ "$(stat -c %s $file 2>/dev/null || echo 0)" -gt 20000 ] ;;
        esac
    do
        kill -0 $pid 2>/dev/null || { cat messages; fail "$file: the run ended by itself"; }
        sleep 0.1
    done
    # SIGKILL alone may break off the kernel within a write, which then holds a part of a row; a process all of whose threads are stopped has finished its write
    kill -STOP $pid
    while grep -h '^State:' /proc/$pid/task/*/status | grep -qv '^State:.T'; do sleep 0.1; done
    kill -9 $pid
    wait $pid 2>/dev/null
    pid=
    case $file in
    *.zst | *.db) ;;
    *) [ -z "$(tail -c 1 $file | tr -d '\n')" ] || fail "$file of a killed run ends within a row" ;;
    esac
    valid $file || fail "$file of a killed run"
    rm -f $file*

    # full: files of this process may have 2 MB, and the signal that would end it is ignored
    (
        trap '' XFSZ
        ulimit -f 2048
        exec "$program" trace -q $(rows 2000c) -o $file "$guests/quicksort" 200
    ) >/dev/null 2>messages
    [ $? = 125 ] || fail "$file: full disk, status $? instead of 125"
    grep -q "cannot write $file: " messages || { cat messages; fail "$file: full disk, no message"; }
    [ "$(stat -c %s $file)" -gt 200000 ] || fail "$file: full disk, nothing was kept"
    valid $file || fail "$file of a full disk"
    rm -f $file*
    echo "$file: what stands there can be read, killed or full"
done

# A limit of the file's size and a reader that goes away are no signals that end the run, in one thread or in two.
for threads in 1 2; do
    for file in t.csv t.vcd t.db; do
        (
            ulimit -f 512
            exec "$program" trace -q --threads $threads -I 2000c -o $file "$guests/quicksort" 100
        ) >/dev/null 2>messages
        [ $? = 125 ] || fail "$file: a limit in $threads threads, status $? instead of 125"
        grep -q "cannot write $file: " messages || { cat messages; fail "$file: a limit, no message"; }
        rm -f $file*
    done
    {
        "$program" trace -q --threads $threads -I 2000c --format csv -o - "$guests/sieve" 20 2>messages
        echo $? >status
    } | head -c 1000 >/dev/null
    [ "$(cat status)" = 125 ] && grep -q 'cannot write -: Broken pipe' messages || fail "a closed pipe in $threads threads"
    (
        ulimit -f 512
        exec "$program" stat -q --threads $threads -I 2000c -o t.txt "$guests/quicksort" 100
    ) >/dev/null 2>messages
    [ $? = 125 ] && grep -q 'cannot write the report: File too large' messages || fail "intervals: a limit in $threads threads"
    {
        "$program" stat -q --threads $threads -I 2000c --log-fd 3 "$guests/sieve" 20 3>&1 >/dev/null 2>messages
        echo $? >status
    } | head -c 1000 >/dev/null
    [ "$(cat status)" = 125 ] && grep -q 'cannot write the report: Broken pipe' messages || fail "intervals: a closed pipe in $threads threads"
done

"$program" trace -q -I 100000c --format csv -o /dev/full "$guests/quicksort" 200 >/dev/null 2>messages
[ $? = 125 ] && grep -q 'cannot write /dev/full: No space left on device' messages || fail "/dev/full: status $? or message"
"$program" trace -q -o no/such/folder.csv "$guests/hello" >/dev/null 2>messages
[ $? = 125 ] && grep -q 'no/such/folder.csv: No such file' messages || fail "a folder that is not there"
# A database replaces the file that stands there, and nothing else.
mkfifo pipe
"$program" trace -q --format sqlite -o pipe "$guests/hello" >/dev/null 2>messages
[ $? = 125 ] && grep -q 'pipe: this is not a regular file' messages && [ -p pipe ] || fail "a database in the place of a pipe"

# Readers may look from the first moment on, also at what stands there from an earlier run, and whatever that is.
"$program" trace -q -I 20000c -o t.db "$guests/quicksort" 5 >/dev/null
for there in t.db messages nothing; do
    rm -f u.db
    [ ! -e $there ] || cp $there u.db
    for _ in 1 2 3 4; do
        "$program" trace -q -I 20000c -o u.db "$guests/quicksort" 5 >/dev/null 2>messages &
        pid=$!
        while kill -0 $pid 2>/dev/null; do sqlite3 u.db 'SELECT count(*) FROM interval' >/dev/null 2>&1; done
        wait $pid || { cat messages; fail "a database with a reader, over $there"; }
        pid=
        [ "$(sqlite3 u.db 'SELECT count(*) FROM interval')" = "$(sqlite3 t.db 'SELECT count(*) FROM interval')" ] ||
            fail "a database with a reader, over $there: another number of intervals"
    done
done
