#!/bin/bash
# refused.sh P5SCOPE GUESTS SOURCE: options that would have no effect with the guest, file or operands given are refused: status 129, a message, and
# nothing is written. Combinations of options are in src/cli/conflicts.tsv (options.py).
set -u
program=$1 G=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cp "$3/tests/cases/events/agi.s" case.s || exit 1
"$program" record -q -o p.data "$G/hello" >/dev/null || exit 1
cp p.data p5scope.data
cp case.s a && cp case.s b
failed=0 count=0
before=$(ls)
while read -r line; do
    case $line in '' | '#'*) continue ;; esac
    # shellcheck disable=SC2086
    eval "timeout 600 \"$program\" $line" >out 2>message </dev/null
    status=$?
    count=$((count + 1))
    [ $status = 129 ] || { echo "FAIL: status $status: p5scope $line"; failed=1; }
    grep -q '^p5scope: .' message || { echo "FAIL: no message: p5scope $line"; failed=1; }
    rm -f out message
    [ "$(ls)" = "$before" ] || { echo "FAIL: files are left by: p5scope $line: $(ls | tr '\n' ' ')"; failed=1; before=$(ls); }
done <<'TABLE'
run --ctr0 data_read $G/timer.elf
run --pce $G/timer.elf
run --env A=b $G/timer.elf
run --dir . $G/timer.elf
run --seed 5 $G/timer.elf
run --disk-write $G/timer.elf
run --disk-write $G/hello
run --module x $G/hello
run --screen $G/hello
run --rtc 1997-06-02T08:30:00 $G/hello
run --flat 0x8000 --env A=b $G/flat.bin
run --flat 0x8000 --ctr0 data_read $G/flat.bin
run --monitor p6 --model p54c-133 $G/hello
run --disk-write --flat 0x8000 $G/flat.bin
stat --save-every 100 --save f $G/hello
top --interval-count 3 $G/hello
trace -o x.csv --bus-clock $G/hello
trace -o x.vcd --markers $G/hello
trace -o x.vcd --at main $G/hello
trace -o x.kanata -I 100c $G/hello
trace -o x.json --deltas $G/hello
report -o x.html -s file
report --page -o x.svg
report -o x.html -n
report -o x.html --percent-limit 5
report -o x.html -e flops
report -o x.html --children
report -o x.html --samples
report -o x.svg -s file
report -o x.svg -e flops
report -s mode --children
report -i p.data p.data
msr --ctr0 data_read tr12
screen --model p5 x
trace -o x.csv --gdb gdb.socket $G/hello
record --gdb gdb.socket $G/hello
top --gdb gdb.socket $G/hello
run $G/timer.elf an argument
run --flat 0x8000 $G/flat.bin argument
trace -o x.json --bus-clock $G/hello
trace -o x.csv --functions $G/hello
trace -o x.db.zst $G/hello
run --seed 5 --flat 0x8000 $G/flat.bin
bench --asm nop --asm nop --konata k
bench --function f --asm nop
list --csv
merge
diff p.data
msr cesr 0x11 0x12
TABLE
echo "$count command lines are refused"
[ $count -gt 35 ] || exit 1
exit $failed
