# registers, steps, break- and watchpoints, memory and monitor commands on a bare-metal guest
info registers eip esp cs eflags
set var $eflags = 0x8d7
print $eflags
set var $eflags = 2
x/2i $eip
stepi
stepi
print $eip
hbreak tick
continue
print/x *(int *)$esp > 0x100000
watch *(int *)&ticks
continue
print *(int *)&ticks
delete
rwatch *(int *)&ticks
continue
x/i $eip
delete
set $eax = 0x12345678
print/x $eax
set var *(int *)&ticks = 8
print *(int *)&ticks
print $cr0
print $st0
print/x $fctrl
monitor pmu
set $cesr = 0xc200c0
monitor pmu
monitor nosuch
monitor stat
monitor pipeline
stepi
stepi
stepi
monitor pipeline
continue
