#!/bin/bash
# refused.sh P5SCOPE GUESTS SOURCE: what is accepted and would have no effect is refused, by every verb: status 129, a message that names an option or says
# what is missing, and nothing is written. A new option gets a line for each place where it means nothing.
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
    eval "timeout 60 \"$program\" $line" >out 2>message </dev/null
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
run --cmdline x $G/hello
run --initrd x $G/hello
run --init x $G/hello
run --real $G/hello
run --flat 0x8000 --env A=b $G/flat.bin
run --flat 0x8000 --ctr0 data_read $G/flat.bin
run --warm-up 5 $G/hello
run --save-at 5c $G/hello
run --monitor p6 --model p54c-133 $G/hello
run --disk-write --flat 0x8000 $G/flat.bin
run --kernel x --flat 0x8000 $G/hello
stat --interval-count 3 $G/hello
stat --summary $G/hello
stat --append $G/hello
stat --header $G/hello
stat --junit j $G/hello
stat --table $G/hello
stat -B -j $G/hello
stat --no-big-num -j $G/hello
stat -n -e cycles $G/hello
stat -n -M overview $G/hello
stat -n -d $G/hello
stat -v -e cycles $G/hello
stat -v -j $G/hello
stat -v -n $G/hello
stat -x, -j $G/hello
stat --log-fd 2 -o f $G/hello
stat --append --log-fd 2 $G/hello
stat -r 2 -I 100c $G/hello
stat -r 2 --save f $G/hello
stat --save-every 100 --save f $G/hello
top --interval-count 3 $G/hello
trace -o x.csv --bus-clock $G/hello
trace -o x.vcd --markers $G/hello
trace -o x.vcd --at main $G/hello
trace -o x.kanata -I 100c $G/hello
trace -o x.json --deltas $G/hello
record --no-intervals --callgrind c $G/hello
record -c cycles/100 --callgrind c $G/hello
record --events flops $G/hello
report --callgrind c -s file
report --callgrind c -n
report --callgrind c --percent-limit 5
report --callgrind c --json
report --callgrind c --samples
report --fold clocks -s file
report --fold clocks -n
report --fold clocks --children
report --fold clocks --samples
report --fold clocks --percent-limit 5
report -o x.html -s file
report --page -s file
report --page --csv
report --page -o x.svg
report --page --fold clocks
report -o x.html -n
report -o x.html --percent-limit 5
report -o x.html -e flops
report -o x.html --children
report -o x.html --samples
report -o x.svg -s file
report -o x.svg -e flops
report --json -n
report --json -t,
report -s mode --children
report -i p.data p.data
annotate --json -l
annotate --json --asm-raw
annotate --json --no-source
diff --no-functions --percent-limit 5 p.data p.data
check --json -v case.s
msr --ctr0 data_read tr12
msr cesr --ctr0 data_read --json
bench --setup nop --function f f.o
bench --x87 --asm nop
bench -v --no-diagram --json --asm nop
screen --model p5 x
stat --gdb gdb.socket -r 2 $G/hello
stat --gdb gdb.socket -I 1000c $G/hello
trace -o x.csv --gdb gdb.socket $G/hello
record --gdb gdb.socket $G/hello
top --gdb gdb.socket $G/hello
run $G/timer.elf an argument
run --flat 0x8000 $G/flat.bin argument
stat --compare --roi 1c,2c a b
stat --compare -v -j a b
trace -o x.json --bus-clock $G/hello
trace -o x.csv --functions $G/hello
trace -o x.db.zst $G/hello
run --seed 5 --flat 0x8000 $G/flat.bin
bench --trips 3 --no-diagram --asm nop
bench --asm nop --asm nop --konata k
bench --cpl 0 case.s
bench --arg 3 --asm nop
bench --function f --asm nop
list --csv
list -j --csv events
check --json --csv case.s
merge
diff p.data
msr cesr 0x11 0x12
TABLE
echo "$count command lines are refused"
[ $count -gt 90 ] || exit 1
exit $failed
