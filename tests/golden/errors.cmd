p5scope
p5scope lsit
p5scope --verzion
p5scope stat --modle p54c-133 hello
p5scope stat -qz hello
p5scope stat --no
p5scope stat --quiet=1 hello
p5scope stat -o
p5scope stat
p5scope stat -e data_raed hello
p5scope stat -e 'flops,{data_read,data_wirte}:u' hello
p5scope stat -e data_read:q hello
p5scope stat -e '{flops' hello
p5scope stat -e r2b hello
p5scope stat -M nosuch hello
p5scope stat --model p55d-200 hello
p5scope stat --model nosuch.ini hello
p5scope stat --clock -5 hello
p5scope stat --mem 12x hello
p5scope stat --mem 100K hello
p5scope stat --dir a:b hello
p5scope stat --dir /tmp:/x:rx hello
p5scope stat --max-clocks many hello
p5scope stat --isa=new hello
p5scope stat --ctr1 r2b.0 hello
p5scope stat -x, -j hello
p5scope stat --log-fd 77 hello
p5scope stat -o nonexistent/file hello
p5scope run nosuchguest
echo text >text && p5scope run ./text
p5scope check
p5scope check nosuch.s
p5scope bench
p5scope bench --asm 'frob eax'
p5scope bench --asm nop --n 5
p5scope bench --asm nop --cpl 2
p5scope run --gdb 99999 $GUESTS/hello
p5scope run --dir nosuch $GUESTS/hello
p5scope stat -r 0 hello
p5scope stat -n -e data_read hello
p5scope stat --append hello
p5scope stat -j --header hello
p5scope stat --summary hello
p5scope stat -o report --log-fd 2 hello
p5scope stat -r 2 --save s --max-instructions 100 $GUESTS/hello
p5scope stat -e cycels hello
p5scope stat --expect 'clocks' hello
p5scope stat --expect 'instructons<3' hello
p5scope stat --expect 'clocks<3x' hello
p5scope stat --expect '' hello
p5scope stat --expect @nosuch hello
p5scope stat --model p54c-133 --expect 'branch-misses<3' hello
p5scope stat --expect 'stall_nosuch<3' hello
p5scope run --wire pm0=irq16 hello
p5scope run --wire pm0=nmi,pm1=irq2 hello
p5scope stat --junit x.xml hello
p5scope stat -d -M cache hello
p5scope stat -v -j hello
p5scope stat --table hello
p5scope help nosuch
p5scope run --dir .:/x:rw,max=big hello
p5scope run --dir .:/x:rw,min=1 hello
p5scope run --gdb 99999 hello
p5scope run --gdb localhost:0 hello
p5scope run --bus-check read hello
p5scope run --bus-check address=16 hello
p5scope run --agent period=500,len=64 hello
for verb in run stat top record trace; do p5scope $verb --model p66 hello >/dev/null 2>&1; echo $?; done; p5scope msr --model p66 cesr=1 2>/dev/null; echo $?; p5scope check -m p66 good.s 2>/dev/null
p5scope stat --model p55c hello
p5scope stat --kernel x --append
p5scope stat --he
p5scope stat -x 0 hello
p5scope check -x . good.s
p5scope check -x ab good.s
p5scope stat -M '' hello
p5scope stat -M 'pairing, nosuch' hello
p5scope trace -o t.csv --at , hello
p5scope record --callgrind=out --events 'branches,' $GUESTS/hello
p5scope top --table nosuch $GUESTS/hello
p5scope stat --expect 'clocks<5,L1<4' hello
p5scope stat -e clocks,stall_agi:c hello
p5scope bench --asm nop --trips 3-5
p5scope bench --asm nop --n 1,2,3
p5scope bench --asm nop --trips 5..99999999999
p5scope run --max-clocks 0 hello
for at in ' 1997-06-02' 97-6-2 +5 1997-02-29; do p5scope run --rtc "$at" hello; done
p5scope stat -I 500c --interval-count 0 hello
p5scope stat -q -j -o r.json $GUESTS/hello >/dev/null; p5scope stat --compare r.json r.json --threshold 1
printf '[model]\nbase = p55c-200\ntitle = a\033[31m\n' >title.ini; p5scope run --model ./title.ini --dump-config x
