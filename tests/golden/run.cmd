cp $GUESTS/arguments $GUESTS/hello.elf .
p5scope run arguments a 'b c' -x --help
p5scope run -- arguments
p5scope run hello.elf
p5scope run --flat 0x100000 $GUESTS/flat.bin
for at in 10000:0 0:010000 99999999999999999999:0 ' 1000:0' 1000:+1 0x0x10:0 1000: ; do p5scope run --real --flat "$at" $GUESTS/flat.bin; done
p5scope run --dump-config --model p54c-100 | head -12
p5scope run --dump-config --clock 150 >a.ini && p5scope run --model a.ini --dump-config | cmp - a.ini
p5scope run --check-memo --bus-check read,address=0x200000 $GUESTS/hello
printf '[model]\nbase = p55c-200\n[check]\ncycle = read\naddress = 0x200000\n' >check.ini; p5scope run --check-memo --model ./check.ini $GUESTS/hello
p5scope run --check-memo $GUESTS/hello
