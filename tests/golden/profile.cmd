# Functions and their shares, stacks, a listing, a comparison; what is wrong is said with its place.
p5scope record -q -o a.data $GUESTS/rdpmc.elf
p5scope report a.data -n -e clocks,instructions_executed --children
p5scope report a.data --fold executions
p5scope record -q -o b.data $GUESTS/rdpmc.elf; p5scope diff a.data b.data --threshold 0
# what a limit cut short costs less, but is not better
p5scope record -q -o cut.data --max-instructions 1000 $GUESTS/rdpmc.elf; p5scope diff cut.data b.data -e clocks --no-functions; p5scope diff a.data cut.data -e clocks --no-functions --threshold 0
p5scope report cut.data | head -3
p5scope annotate -i a.data no_such_function
p5scope annotate -i a.data x:start
p5scope report a.data -s symbl
p5scope report a.data -e data_reed
p5scope record -q -o both.data $GUESTS/kernel.elf >/dev/null; p5scope report both.data --children | grep "\] start"
p5scope record -q -o both.data -c clocks/1000 $GUESTS/timer.elf >/dev/null; p5scope report both.data --samples -n | grep start; p5scope report both.data --samples -s mode | grep CPL
p5scope report none.data
p5scope report a.data -o /dev/full
p5scope report a.data --callgrind /dev/full
p5scope annotate -i a.data >/dev/full
p5scope record --period data_read $GUESTS/rdpmc.elf
p5scope record --period data_reed/100 $GUESTS/rdpmc.elf
p5scope record --period "data_*/100" $GUESTS/rdpmc.elf
p5scope record --period data_read:u/100 $GUESTS/rdpmc.elf
p5scope record -o new.data nothing-there; ls new.data
p5scope record -o nonexistent/p $GUESTS/rdpmc.elf
p5scope report --help
p5scope annotate --help
p5scope diff --help
p5scope record -q --callgrind /dev/full $GUESTS/rdpmc.elf >/dev/null
p5scope record -q -o /dev/full $GUESTS/rdpmc.elf >/dev/null
p5scope record -q -o both.data $GUESTS/kernel.elf >/dev/null; p5scope report both.data -e executions:U,executions:k,executions,stall_serialise:uK,stall_serialise | grep Event
p5scope annotate -i a.data -e stall_agi:c
p5scope report a.data -e executions: -o x
p5scope report a.data -j -e Executions,executions,Clocks,cycles,in-v,IN_V | sed -n 2p; p5scope diff a.data a.data -j -e Executions,executions
p5scope report a.data -o x.html -s line
p5scope report a.data -o x.html --fold clocks
p5scope report a.data --fold clocks -n
p5scope report a.data --callgrind x --percent-limit 1
p5scope record --callgrind x --period clocks/1000 $GUESTS/rdpmc.elf
p5scope diff a.data a.data --no-functions --percent-limit 1
p5scope record -q -o p54c.data --model p54c-133 $GUESTS/timer.elf >/dev/null; p5scope report p54c.data -e mmx_instructions_executed_u_pipe
# lines of a source file that was changed after the run
printf '.globl _start\n_start: mov $1, %%eax\n int $0x80\n' >src.s; as --32 -g src.s -o src.o && ld -m elf_i386 src.o -o src; p5scope record -q -o src.data ./src; p5scope annotate -i src.data _start | grep -c newer
touch -d '+1 hour' src.s; p5scope annotate -i src.data _start | grep -A1 newer
p5scope report src.data --page | jq -c '.newer_sources | map(sub(".*/"; ""))'; touch -d '-1 hour' src.s; p5scope report src.data --page | jq -c .newer_sources
# stat, trace and report agree about each cause of clocks, and the causes are all clocks
p5scope stat -q -x, -e 'clocks,stalls' $GUESTS/quicksort 10 2>&1 >/dev/null | grep -v '^#' | cut -d, -f1,3 | sort -t, -k2 >stat; awk -F, '$2 == "clocks" { all = $1; next } { sum += $1 } END { print sum == all, NR }' stat
p5scope trace -q -o t.csv -I 1e9c -e clocks,stalls $GUESTS/quicksort 10 >/dev/null; grep -v '^#' t.csv | awk -F, 'NR == 1 { split($0, name) } { split($0, last) } END { for (i = 13; i <= NF; i++) print last[i] "," name[i] }' | sort -t, -k2 | diff - stat && echo same
p5scope record -q -o q.data $GUESTS/quicksort 10 >/dev/null; p5scope report q.data -e 'clocks,stalls' | sed -n "s/^# Event '\(.*\)': /\1 /p" | tr -d , | awk '{ print $2 "," $1 }' | sort -t, -k2 | diff - stat && echo same
p5scope report q.data -e STALLS | grep -c Event; p5scope report q.data -e ALL
p5scope report a.data -e 'data_t*,stall_data_*,data_tlb_miss' | grep Event
p5scope report a.data -e '*'
p5scope diff a.data b.data -e 'stall_da*' --no-functions
