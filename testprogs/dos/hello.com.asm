; hello.com: the smallest DOS guest; writes a line and its command line, and exits with status 3.
bits 16
org 100h
%include "dos.inc"
        print "Hello from DOS.", 13, 10
        print "arguments:"
        mov bl, [80h]
        xor bh, bh
        mov cx, bx
        mov dx, 81h
        mov bx, 1
        mov ah, 40h
        int 21h
        print 13, 10
        finish 3
