# what was written to the host is not taken back
break main
continue
reverse-stepi
continue
