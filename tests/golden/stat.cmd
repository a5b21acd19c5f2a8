# Counts of the model change with the model; here only the form is looked at, and the numbers that follow from the instructions.
cp $GUESTS/hello .
p5scope stat hello 2>&1 | sed 's/[0-9][0-9,.]*[0-9]/N/g; s/ [0-9] / N /g; s/  */ /g' | grep -v 'code_read\|N.*CPI'
p5scope stat -x, -e instructions_executed,data_read:u,branches:k hello 2>&1 | cut -d, -f1-3
p5scope stat -e r16,mmx_instructions_executed_u_pipe --model p54c-133 hello 2>&1 | grep 'instr\|model'
p5scope stat -j -e instructions_executed hello 2>&1 >/dev/null | jq -c 'select(.event) | {event, value, mode, ctr, code}'
p5scope stat -r 3 --table -n --no-big-num hello 2>&1 | sed 's/[0-9][0-9.]*[0-9]/N/g; s/  */ /g'
p5scope stat --max-instructions 100 -n hello 2>&1 | grep -o 'Stopped by --max-instructions'
p5scope stat -e instructions_executed -o report --header -x ';' hello && cut -d';' -f1-3 report
p5scope stat -e instructions_executed --log-fd 3 hello 3>log && grep -c instr log
p5scope stat -e '{data_read,data_write,flops}:u' hello 2>&1 | grep CTR0
p5scope stat --check-laws -n -q hello 2>&1 | grep law
p5scope stat -q -o /dev/full hello
p5scope stat -q -x, -o /dev/full hello
p5scope stat -q -I 100i --summary -o /dev/full hello
p5scope stat -q -j -I 100i -o /dev/full hello
p5scope stat -q -x, -e instructions_executed -I 1000i --fast-forward 200 --roi work $GUESTS/markers 2>&1 >/dev/null | grep '^#'
p5scope stat -q -e instructions_executed -I 1000i --fast-forward 200 --roi work $GUESTS/markers 2>&1 >/dev/null | grep '^#'
