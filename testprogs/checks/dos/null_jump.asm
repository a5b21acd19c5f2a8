; A far call through a pointer that is 0 ends with a message that says so.
;! status 132
;! dosbox it executes the vectors
;! output
;! Illegal instruction at 0x00000013: (bad) (the program jumped to 0000:0000, probably through an interrupt vector or a far pointer that was never set)
org 100h
        call far [pointer]
pointer: dd 0
