; divide.com: divides by zero, which nobody handles.
bits 16
org 100h
        xor cx, cx
        div cx
        int 20h
