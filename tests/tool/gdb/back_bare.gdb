# backwards through interrupts
hbreak tick
continue
continue
continue
set $count = *(int *)&ticks
reverse-continue
print *(int *)&ticks == $count - 1
reverse-stepi
reverse-stepi
reverse-stepi
continue
print *(int *)&ticks == $count - 1
continue
print *(int *)&ticks == $count
delete
continue
