; A far call through a pointer that is 0 ends with a message that says so.
;! status 132
;! dosbox it executes the vectors
;! output
;! Illegal instruction at 0x00000013: (bad) (the program has jumped to 0000:0000: an interrupt vector or a far pointer is 0 that it expects somebody to have set)
org 100h
        call far [pointer]
pointer: dd 0
