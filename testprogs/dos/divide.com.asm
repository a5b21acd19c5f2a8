; divide.com: divides by zero without a handler.
bits 16
org 100h
        xor cx, cx
        div cx
        int 20h
