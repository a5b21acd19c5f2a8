; flat: the same as a flat image for address 10000h, entered at its first byte.
        org 10000h
%include "bare.inc"

start:
        mov esp, 20000h
        print "Hello from a flat image.", 10
        finish 0
