# a Linux program: symbols, breakpoints on functions, stepping over lines, the end
break main
continue
stepi
print $cs
print $eip == $pc
delete
tbreak print
continue
finish
continue
