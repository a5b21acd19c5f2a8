# breakpoints and steps where the base of CS is not 0: real mode, then protected mode
set architecture i8086
x/i $pc
break *0x7c20
continue
stepi
x/i $pc
print $cs
set architecture i386
break *0x7c80
continue
print $ebx
print $cs
stepi
x/i $pc
continue
print $ebx
delete
tbreak *0x7c83
continue
print $ebx
set $pc = 0x7c60
stepi
x/i $pc
continue
