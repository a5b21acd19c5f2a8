; hello: the smallest bare-metal guest; writes a line to port E9h and ends with value 0 at port F4h.
global start
section .text
%include "bare.inc"

start:
        mov esp, stack_top
        print "Hello from CPL 0.", 10
        finish 0

section .bss
        resb 4096
stack_top:
