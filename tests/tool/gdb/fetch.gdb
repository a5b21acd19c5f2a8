# a fetch at CPL 3 from a page of the supervisor (paging.asm): the breakpoint there comes first, then the fault, once, with the fetch's address
hbreak *0x20ff8
ignore 1 2
continue
print/x $cs
print/x *(unsigned char *)0x20ff8
stepi
print/x $cs
print/x $cr2
print/x *(unsigned *)$esp
reverse-stepi
print/x $cs
stepi
print/x $cr2
continue
