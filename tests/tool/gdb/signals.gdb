# a Linux program: a signal that ends it stops first, steps do not see the kernel's entry; fetches that fault: a wild jump, a call of NULL,
# an instruction whose second page is not there
# $tsc is what RDTSC reads
print $tsc
break main
continue
delete
set $old = $eip
set var *(unsigned short *)$eip = 0x310f
set $before = $tsc
stepi
print $eax == $before
set $eip = $old
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
handle SIGSEGV nopass
set $eip = 0x41414141
continue
print/x $eip
set $eip = 0
stepi
print/x $eip
set var *(unsigned char *)0xbfffffff = 0xb8
set $eip = 0xbfffffff
continue
print/x $eip
handle SIGSEGV pass
continue
