# a COM program at its PSP + 100h: breakpoint, registers, memory changed, its end
set architecture i8086
tbreak *0x8150
continue
x/i $pc
print $ds == $cs && $es == $cs && $ss == $cs
print/x *(unsigned short *)0x8050
stepi
x/i $pc
set var *(char *)0x8153 = 'Y'
continue
