# Counts of the model change with the model; here only the form is looked at, and the numbers that follow from the instructions.
cp $GUESTS/hello .
p5scope stat hello 2>&1 | sed 's/[0-9][0-9,.]*[0-9]/N/g; s/ [0-9] / N /g; s/  */ /g'
p5scope stat -d hello 2>&1 | sed '/Branches and their/,$d' | sed 's/[0-9][0-9,.]*[0-9]/N/g; s/ [0-9] / N /g; s/  */ /g' | grep -v 'code_read\|N.*CPI'
# the screen is a part of the whole report, with the same figures, and its shares add up to all clocks
p5scope stat -q hello 2>screen; p5scope stat -q -d hello 2>all; wc -l <screen; grep -c 'others' screen; grep '#' screen | grep -v others | grep -vxF -f all; awk '/CPI$/ && !/clocks|instructions/ { sub(/,/, "", $1); sum += $1; share += $(NF - 3) } / clocks$/ { sub(/,/, "", $1); print (sum == $1), (share > 99.9 && share < 100.1) }' screen
p5scope stat -x, -e instructions_executed,data_read:u,branches:k hello 2>&1 | cut -d, -f1-3
p5scope stat -e r16,mmx_instructions_executed_u_pipe --model p54c-133 hello 2>&1 | grep 'instr\|model'
p5scope stat -j -e instructions_executed hello 2>&1 >/dev/null | jq -c 'select(.event) | {event, value, mode, ctr, code}'
[ "$(p5scope stat -q -j -e clocks hello 2>&1 >/dev/null | jq -r 'select(.p5scope)."guest-sha256"')" = "$(sha256sum hello | cut -d' ' -f1)" ] && echo same
p5scope stat -r 3 --table -n --no-big-num hello 2>&1 | sed 's/[0-9][0-9.]*[0-9]/N/g; s/  */ /g'
p5scope stat --max-instructions 100 -n hello 2>&1 | grep -o 'Stopped by --max-instructions'
p5scope stat -e instructions_executed -o report --header -x ';' hello && cut -d';' -f1-3 report
p5scope stat -e instructions_executed --log-fd 3 hello 3>log && grep -c instr log
p5scope stat -e '{data_read,data_write,flops}:u' hello 2>&1 | grep CTR0
p5scope stat -j -o g.json -e '{data_read,data_write},{data_write,branches,data_read}' $GUESTS/hello >/dev/null; p5scope merge -q -o g.db g.json; p5scope trace -o h.db -e '{data_read,data_write},{data_read,branches}' $GUESTS/hello >/dev/null && sqlite3 h.db 'select name from event'
p5scope stat --check-laws -n -q hello 2>&1 | grep law
p5scope stat -q -o /dev/full hello
p5scope stat -q -x, -o /dev/full hello
p5scope stat -q --threads 1 -I 100i --summary -o /dev/full hello
p5scope stat -q --threads 1 -j -I 100i -o /dev/full hello
p5scope stat -q -x, -e instructions_executed -I 1000i --fast-forward 200 --roi work $GUESTS/markers 2>&1 >/dev/null | grep '^#'
p5scope stat -q -e instructions_executed -I 1000i --fast-forward 200 --roi work $GUESTS/markers 2>&1 >/dev/null | grep '^#'
p5scope stat -q -e clocks -I 5000i --fast-forward 9000 -j $GUESTS/quicksort 10 2>&1 >/dev/null | jq -c 'select(.summary).summary.instructions' | head -2
p5scope stat -q -v hello 2>&1 | grep -c '^ [a-z]*:$'
p5scope stat -q -d hello 2>&1 | grep -c '^ [a-z]*:$'
p5scope stat -d hello 2>&1 | grep -c '^ [A-Z].*:$'
p5scope stat -n -q -x, -I 500c hello 2>&1 >/dev/null | cut -d, -f4 | sort | uniq -c
p5scope stat -n -q -I 500c hello 2>&1 >/dev/null | grep -c ' clocks$'
p5scope stat -q -x, -e instructions_executed,branches hello 2>&1 | cut -d, -f1-3
p5scope stat -q -x, -e instructions,branch-misses:u,cycles hello 2>&1 | cut -d, -f3
p5scope stat -q -x, -e branches --expect 'instructions==129, branches < 0.02k, IPC > 0, cycles:k+0' hello
p5scope stat -q -o report -e branches --expect 'instructions<=100,branches>=1,instructions!=129,branches/instructions>1' hello
p5scope stat -q -o report -j -e branches --expect 'instructions<=100' hello 2>/dev/null; tail -n 1 report
p5scope stat -q -o report --expect 'seconds>0,stall_issue>0,bus_read_bytes>0,bus_written_bytes>=0' hello
p5scope stat -q -o report -j hello; jq -s '.[1].value as $clocks | map(select(.unit == "clocks")) | length > 0, all(."metric-value" == 100 * .value / $clocks)' report
printf '# of hello\ninstructions<=0.2k # one\nbranches>0, clocks>1\n' >budget; p5scope stat -q -o report --expect @budget --junit report.xml hello && sed 's/time="[^"]*"//' report.xml
printf 'instructions<=100\nbranches<<0\n' >budget; p5scope stat -q --expect @budget hello
(echo 'clocks>0'; head -c 16777217 /dev/zero | tr '\0' a) >budget; p5scope stat -q --expect @budget hello
p5scope stat -q --roi begin:1,end:1 -x, -e instructions $GUESTS/markers 2>&1 >/dev/null | cut -d, -f1-3
p5scope stat -q --roi begin:1 --roi begin:3 -x, -e clocks $GUESTS/markers 2>&1 >/dev/null | sed -n 2p
p5scope stat -q --roi end:x $GUESTS/markers
p5scope stat -q -j -e instructions,branches,flops -o one.json hello; p5scope stat -q -j -e instructions,branches:u,flops,branches -o two.json $GUESTS/markers; p5scope stat --compare one.json two.json | grep -v 'clocks\|CPI'
p5scope stat --compare -v --no-big-num one.json two.json two.json | grep -v 'clocks\|CPI'
p5scope stat --compare -x';' --header one.json two.json | grep -v 'clocks\|CPI'
p5scope stat --compare -j two.json one.json | jq -c 'select(.event != "clocks" and .event != "CPI").values'
p5scope stat -q -e instructions,branches --model p55c-200 --model p54c-133 hello 2>&1 | grep -v 'clocks\|CPI'
p5scope stat --compare one.json
p5scope stat -q -j -e instructions --expect 'clocks>0' -o held.json hello; p5scope stat --compare -x, held.json one.json | grep ^instructions
p5scope stat --compare -e flops one.json two.json
p5scope stat --compare --mem 4M one.json two.json
p5scope stat --compare one.json hello
head -2 one.json >cut.json; p5scope stat --compare one.json cut.json
p5scope run --model p55c-200 --model p54c-133 hello
p5scope stat -I 500c --table=branch hello 2>&1 >/dev/null | sed 1d
p5scope top -I 500c hello 2>top >/dev/null; p5scope stat -q -I 500c --table=overview hello 2>&1 >/dev/null | sed 1d | diff top -
p5scope stat -I 500c --table=brnch hello
p5scope stat --table=branch hello
p5scope stat -I 500c --table=branch -j hello
p5scope stat -I 500c --table=branch -M cache hello
# budgets that measured nothing
p5scope stat -q -o report --max-clocks 100 --expect 'clocks<1000' hello
p5scope stat -q -o report --max-instructions 50 -r 2 --expect 'clocks>0' --junit report.xml hello 2>/dev/null; grep -o 'failures="."\|failure message=".*max-instr[^ ]*' report.xml
p5scope stat -q -o report --roi 1Mc,2Mc --expect 'clocks<1000' hello
p5scope stat -q -o report --roi 100i,1Mi --expect 'clocks<1M' hello
p5scope stat -q -o report --roi begin:1 --roi begin:77 --expect 'clocks<1M' $GUESTS/markers
p5scope stat -q -o report --roi begin:1 --expect 'clocks<1M' $GUESTS/markers
p5scope stat -q -o report --roi 50i,100i --max-instructions 110 --expect 'clocks<1M' hello
p5scope stat -q -o report --fast-forward 1M --expect 'clocks<1M' hello
p5scope stat -q -o report --timeout 0.000001 --expect 'clocks<1G' $GUESTS/walk1m 2>/dev/null
p5scope stat -q -j -o report --expect 'clocks<1G' $GUESTS/rdpmc 2>/dev/null; tail -n 1 report | jq '.holds, has("unmeasured")'
p5scope stat -q -o report --model p54c-133 --model p55c-200 --max-clocks 100 --expect 'clocks<1M' hello 2>/dev/null
p5scope stat -q -o report --expect 'flops/flops<1,flops/flops!=7' hello 2>/dev/null
# both sides are formulas, && separates as a comma does, and names are those of -e
p5scope stat -q -o report --expect 'instructions-executed:u + branches:k <= 2*branches + 200 && cpi:u > ipc:u && 2*data-read-data-write:k>0' hello >/dev/null
p5scope stat -q -o report --expect 'clocks<1M clocks>0' hello
p5scope stat -q -o report -r 2 --expect 'clocks-1>0,instructions-instructions==0,branches:c>0,seconds:c>0' hello
# what a limit cut short is not a faster run, and the name of a file can have any bytes
p5scope stat -q -j -e instructions -o "$(printf 'new\nline')" --max-instructions 100 hello 2>/dev/null; p5scope stat --compare -x, one.json new*line | head -n 3; p5scope stat --compare one.json new*line | sed -n 3p
# what the model does not have is no zero
p5scope stat -q -x, -M mmx --model p54c-133 hello 2>&1 >/dev/null | tail -n +2; p5scope stat -q -j -M mmx --model p54c-133 hello 2>&1 >/dev/null | jq -c 'select(.metric)."metric-value"'
# metrics of one name in other units are others
p5scope stat -q -j -M bus,overview -o read.json hello >/dev/null; p5scope stat --compare -x, read.json read.json | grep ^Read | cut -d, -f1,2
# a metric that is a count looks like the count of its event
printf 'SHORT Counts\nEVENTSET\ndata_read\nbus_read_bytes\nMETRICS\nReads  data_read\nTwice [bytes]  2*bus_read_bytes\nLess  -data_read\nHalf  data_read/2\n' >counts.txt; p5scope stat -q -o report -e data_read -M ./counts.txt hello >/dev/null; grep -E 'read|Reads|Twice|Less|Half' report
# budgets against an earlier run, and comparisons with a limit
p5scope stat -q -j -o base.json hello; p5scope stat -q -o report --baseline base.json --expect 'clocks<=base*1.01 && clocks>=base, stall_issue==base, CPI==base, data_read<base+1' --junit report.xml hello && grep -o 'tests="[0-9]*" failures="[0-9]*"' report.xml
p5scope stat -q -o report --baseline base.json --expect 'instructions<base-1' hello 2>&1 | tail -n 2
p5scope stat -q -o report --expect 'clocks<=base' hello
p5scope stat -q -o report --baseline base.json --expect 'data_read:u<=base' hello
p5scope stat -q -o report --baseline one.json --expect 'data_read<=base' hello
p5scope stat -q -o report --baseline nosuch.json --expect 'clocks<=base' hello
p5scope stat -q -j --model p54c-133 -e mmx_instructions_executed_u_pipe -o p54c.json hello >/dev/null; p5scope stat -q -o report --baseline p54c.json --expect 'mmx_instructions_executed_u_pipe<=base' hello
p5scope stat -q -j -o more.json $GUESTS/markers; p5scope stat --compare --threshold 1% --junit report.xml base.json base.json more.json 2>&1 >/dev/null | cut -c1-12; grep -o 'tests="[0-9]*" failures="[0-9]*"' report.xml
p5scope stat --compare --threshold 1 base.json more.json >/dev/null 2>&1
p5scope stat --compare --threshold 0 base.json base.json >/dev/null 2>&1
p5scope stat --compare --threshold 1 base.json new*line 2>&1 >/dev/null
p5scope stat --threshold 1 hello
p5scope stat --baseline base.json hello
p5scope stat -q -j -e clocks -o clocks.json hello; p5scope stat --compare clocks.json base.json | awk '/CPI/ { print $1, ($2 > 1) }'
p5scope stat --compare -x, clocks.json clocks.json | grep -c CPI
p5scope stat -q -x ';;' -e data_read:u hello 2>&1 >/dev/null | tail -n 1 | cut -c1-18
p5scope stat -q -o report --model p54c-133 --baseline base.json --expect 'clocks<=base' hello; p5scope stat -q -o report --baseline base.json --expect 'clocks<=base' hello
