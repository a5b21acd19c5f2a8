# backwards: steps, breakpoints, watchpoints, and forwards again to where the guest is; the past cannot be changed
break checksum
continue
set $at = $pc
set $a = $eax
set $b = $ebx
set $s = $esp
reverse-stepi
reverse-stepi
print $pc == $at
stepi
stepi
print $pc == $at && $eax == $a && $ebx == $b && $esp == $s
# the same breakpoint further back is none: it was reached for the first time
reverse-continue
print $pc == _start
continue
delete
break sort
reverse-continue
set $first = first
set $last = last
set $stack = $esp
reverse-continue
print $esp != $stack || first != $first
continue
print first == $first && last == $last && $esp == $stack
delete
set $word = first
watch *(unsigned *)$word
reverse-continue
set $before = *(unsigned *)$word
stepi
print *(unsigned *)$word != $before
reverse-continue
print *(unsigned *)$word == $before
python
try:
    gdb.execute("set var *(unsigned *)$word = 5")
except gdb.error as e:
    print("refused:", "memory" in str(e))
end
delete
continue
