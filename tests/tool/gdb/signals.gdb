# a Linux program: a signal that ends it stops first, steps do not see the kernel's entry
break main
continue
delete
set $old = $eip
set var *(unsigned short *)$eip = 0x80cd
set $eax = 20
stepi
print $eip - $old
print $eax > 0
set $eip = $old
set var *(unsigned short *)$eip = 0x0b0f
stepi
print $eip == $old
set var *(unsigned short *)$eip = 0x008a
set $eax = $esp
tbreak *($old + 2)
signal 0
set $eip = $old
set $eax = 0x10
continue
print $eip == $old
continue
