#!/bin/sh
# cli.sh PROGRAM READER QUICKSORT MARKERS BOOT GLIBC: --save, --save-at and --load, each in a process of its own: output, counts and rows are those of the run that
# was not interrupted; and what is said when a file of the guest is not what it was.
set -u
program=$1 reader=$2 quicksort=$3 markers=$4 boot=$5 glibc=$6
scratch=$(mktemp -d) || exit 1
pid=
trap 'rm -rf "$scratch"; [ -z "$pid" ] || kill -9 $pid 2>/dev/null' EXIT
cd "$scratch" || exit 1
failed=0
complain() { echo "$*"; failed=1; }
same() { cmp -s "$1" "$2" || { complain "$3"; diff "$1" "$2" | head -5; }; }

# a guest with files and directories open
mkdir d
i=0
while [ $i -lt 30 ]; do printf 'line %02d of the input\n' $i; i=$((i + 1)); done >d/input
for name in a b c d e f g; do : >d/$name; done
"$program" stat -q -j -o whole.json --dir d:/data:rw "$reader" >whole.out; [ $? = 7 ] || complain "the reader does not run"
grep -q 'directory read' whole.out || complain "the reader reads no directory"
for n in 40 700 3000 9000 20000 41000; do
    "$program" run -q --save s --max-instructions $n --dir d:/data:rw "$reader" >part.out 2>err || complain "saving behind $n: $(cat err)"
    "$program" stat -q -j -o part.json --load s --dir d:/data:rw >>part.out 2>err; [ $? = 7 ] || complain "loading behind $n: $(cat err)"
    same whole.out part.out "saved behind $n instructions, the guest wrote something else"
    sed 's/"host":.*//' whole.json | tail -n +2 >a; sed 's/"host":.*//' part.json | tail -n +2 >b
    same a b "saved behind $n instructions, other counts"
done
# a folder of the host in the place of the guest's own /tmp
mkdir t
"$program" run -q --save s --max-instructions 40 --dir d:/data:rw --dir t:/tmp:rw "$reader" >part.out 2>err || complain "saving with /tmp: $(cat err)"
"$program" run -q --load s --dir d:/data:rw --dir t:/tmp:rw >>part.out 2>err; [ $? = 7 ] || complain "loading with /tmp: $(cat err)"
same whole.out part.out "with a folder as /tmp, the guest wrote something else"
# its files have to be as they were
"$program" run -q --save s --max-instructions 9000 --dir d:/data:rw "$reader" >/dev/null 2>&1
refused() {
    "$program" run --load s $2 >/dev/null 2>err && complain "loaded although $1"
    grep -q "$1" err || complain "no '$1' in: $(cat err)"
}
refused "repeat it as --dir HOST:/data:rw" "" # a snapshot grants nothing of the host
refused "repeat it as --dir HOST:/data:rw" "--dir d:/other"
refused "repeat it as --dir HOST:/data:rw" "--dir d:/data"
mv d/input d/elsewhere; refused "open file /data/input cannot be opened again: No such file" "--dir d:/data:rw"
cp -p d/elsewhere d/input; echo more >>d/input; refused "changed since the snapshot was made" "--dir d:/data:rw"
cp d/elsewhere d/input; touch -d '2001-01-01' d/input; refused "written to since the snapshot was made" "--dir d:/data:rw"
rm -f d/output
# points
"$program" stat -q -j -o whole.json "$quicksort" 1 >/dev/null
tail -n +2 whole.json | sed 's/"host":.*//' >a
for at in 1i 100000i 77777c main; do
    "$program" run -q --save s --save-at $at "$quicksort" 1 >/dev/null 2>err || complain "--save-at $at: $(cat err)"
    "$program" stat -q -j -o part.json --load s >/dev/null 2>err || complain "--save-at $at, loading: $(cat err)"
    tail -n +2 part.json | sed 's/"host":.*//' >b
    same a b "--save-at $at: other counts"
done
"$program" run --save m --save-at begin:1 "$markers" >/dev/null 2>err && grep -q 'saved to m' err || complain "--save-at begin:1: $(cat err)"
"$program" run --save never --save-at end:4711 "$markers" >/dev/null 2>err; grep -q 'did not reach' err || complain "--save-at end:4711: $(cat err)"
[ -e never ] && complain "a point that was not reached has left a file"
# a loaded snapshot saves from the first point on that it has not passed
"$program" run -q --save s --save-at 5000i --max-instructions 6000 "$quicksort" 1 >/dev/null
"$program" run -q --load s --save every --save-every 1000 --max-instructions 8000 >/dev/null 2>err || complain "--save-every, loaded: $(cat err)"
[ "$(echo every.*)" = "every.5 every.6 every.7" ] || complain "--save-every 1000 from 5000 to 8000 saves $(echo every.*)"
"$program" run --save never --save-at 3000i --load s --max-instructions 8000 >/dev/null 2>err; grep -q 'did not reach' err || complain "--save-at before the snapshot: $(cat err)"
[ -e never ] && complain "a point before the snapshot has left a file"
# the same run leaves the same file: nothing of the host is in it, though this guest loads GS
for threads in 1 1 2; do
    "$program" run -q --threads $threads --isa permissive --save s.$threads --save-at 8000i "$glibc" >/dev/null 2>err || complain "saving glibc: $(cat err)"
    [ ! -e first ] && mv s.$threads first && continue
    cmp first s.$threads || complain "the same run in $threads threads leaves another snapshot"
done
# rows of a trace continue where they would have
"$program" trace -q -I 20000i -o whole.csv "$quicksort" 1 >/dev/null
"$program" run -q --save s --save-at 100000i "$quicksort" 1 >/dev/null 2>&1
"$program" trace -q -I 20000i -o part.csv --load s >/dev/null
rows=$(grep -c ',interval,' part.csv)
[ "$rows" -gt 10 ] || complain "$rows rows behind the snapshot"
grep ',interval,' whole.csv | tail -n "$rows" | cut -d, -f2- >a; grep ',interval,' part.csv | cut -d, -f2- >b
same a b "rows behind the snapshot differ"
# a booted image, named by its path
printf 'abcdefgh\n' >keys
cp "$boot" image
"$program" stat -q -j -o whole.json --disk-write image <keys >whole.out; expected=$?
cp "$boot" image
"$program" run -q --save s --max-instructions 40 --disk-write image <keys >part.out 2>err || complain "saving a booted image: $(cat err)"
"$program" stat -q -j -o part.json --load s --disk-write image <keys >>part.out 2>err; [ $? = $expected ] || complain "loading a booted image: $(cat err)"
same whole.out part.out "a booted image wrote something else"
tail -n +2 whole.json | sed 's/"host":.*//' >a; tail -n +2 part.json | sed 's/"host":.*//' >b
same a b "a booted image: other counts"
refused "the disk image .*/image; name it on the command line" "" # a snapshot opens only files that are named
refused "load it with --disk-write" image
touch -d '2001-01-01' image; refused "open file image has been written to since the snapshot was made" "--disk-write image"
# fast-forward says what it did, counts the rest only, and may be saved
"$program" stat -o ff.txt -n --check-laws --fast-forward 500000 "$quicksort" 1 >ff.out 2>err || complain "--fast-forward: $(cat err)"
grep -q 'Fast-forwarded 500000 instructions first: caches, TLBs and branch predictor warmed, no clocks or events counted' ff.txt || complain "$(cat ff.txt)"
grep -q '0 broken' err || complain "laws behind a fast-forward: $(cat err)"
"$program" run -q "$quicksort" 1 >whole.out; same whole.out ff.out "--fast-forward: other output"
"$program" stat -q -j -o whole.json --fast-forward 500000 "$quicksort" 1 >/dev/null
grep -q '"fast-forwarded":500000' whole.json || complain "no word of fast-forward in JSON"
"$program" run -q --fast-forward 500000 --save s --save-at 700000i "$quicksort" 1 >/dev/null 2>err || complain "--fast-forward, --save: $(cat err)"
"$program" stat -q -j -o part.json --load s >/dev/null
tail -n +2 whole.json | sed 's/"host":.*//' >a; tail -n +2 part.json | sed 's/"host":.*//' >b
same a b "saved behind a fast-forward: other counts"
grep -q '"fast-forwarded":500000' part.json || complain "the snapshot does not know of the fast-forward"
"$program" stat -q --fast-forward 1e9 "$quicksort" 1 >/dev/null 2>err; grep -q 'ended during --fast-forward' err || complain "a guest that ended early: $(cat err)"
# Ctrl-C, once the guest has run for a while. Its file is gone by then, so the snapshot does not name it, and may itself be saved to.
cp "$quicksort" gone
rm -f s
: >rows
"$program" stat -q -I 100000c -o rows --save s ./gone 1000000 >/dev/null 2>err &
pid=$!
while [ "$(stat -c %s rows)" -le 1000 ]; do
    kill -0 $pid 2>/dev/null && ! grep -q '^State:.Z' /proc/$pid/status || { complain "a run of hours ended by itself: $(cat err)"; break; }
    sleep 0.05
done
rm gone
kill -TERM $pid
wait $pid
status=$?
pid=
[ $status = 143 ] || complain "a run that was stopped ends with another status"
"$program" stat -j -o part.json --load s --save s --max-instructions 1 >/dev/null 2>err || complain "a run that was stopped has saved nothing: $(cat err)"
grep -q '"event":"instructions_executed",.*"value":[0-9]\{5\}' part.json || complain "a run that was stopped has saved something else: $(tail -1 part.json)"
# a guest that waits for longer than a few seconds of its own time: INT 15h AH = 86h for 2^32 us; INT 16h after the end of the input, with a
# handler for INT 08h, 60 s; the timer of the local APIC with its longest period, when the 8254 and the clock have no event
printf '[model]\nbase = p55c-200\n[board]\napic = on\n' >apic.ini
waits() { # waits NAME CODE OPTION...
    name=$1
    printf "$2" >long
    shift 2
    "$program" stat -q -j -o whole.json --max-clocks 30M "$@" long </dev/null >/dev/null 2>&1
    "$program" run -q --save s --max-clocks 20M "$@" long </dev/null >/dev/null 2>err || complain "$name, saving: $(cat err)"
    "$program" stat -q -j -o part.json --load s --max-clocks 30M </dev/null >/dev/null 2>err || complain "$name, loading: $(cat err)"
    tail -n +2 whole.json | sed 's/"host":.*//' >a; tail -n +2 part.json | sed 's/"host":.*//' >b
    same a b "$name: other counts"
}
waits "a wait of 2^32 us" '\264\206\271\377\377\272\377\377\315\025\364' --flat=1000:0 --real
waits "a wait for a key" '\061\300\216\330\307\006\160\000\022\000\214\016\162\000\264\000\315\026\317' --flat=1000:0 --real
waits "the APIC's timer" '\260\060\346\103\260\001\346\100\260\000\346\100\307\005\360\000\340\376\377\001\000\000\307\005\340\003\340\376\012\000\000\000\307\005\040\003\340\376\060\000\000\000\307\005\200\003\340\376\377\377\377\377\260\012\346\160\260\140\346\161\353\376' \
    --flat=0x100000 --model=./apic.ini
# what does not go together
"$program" run --load s --mem 8M >/dev/null 2>err; [ $? = 129 ] || complain "--load --mem is taken"
"$program" run --save-at 5i "$quicksort" >/dev/null 2>err; [ $? = 129 ] || complain "--save-at without --save is taken"
mkfifo pipe
for place in pipe . none/s ''; do
    "$program" run --save "$place" "$quicksort" >out 2>err; [ $? = 129 ] || complain "--save $place is taken"
    [ -s out ] && complain "--save $place: the guest ran for nothing"
done
[ -p pipe ] || complain "--save has replaced a pipe"
"$program" run --load "$quicksort" >/dev/null 2>err; [ $? = 129 ] || complain "a program is taken for a snapshot"
grep -q 'not a snapshot' err || complain "$(cat err)"
"$program" run --load whole.csv --model p54c-133 >/dev/null 2>&1 && complain "a text is taken for a snapshot"
exit $failed
