; File control blocks: create, write a record, close, open, the size in the block, read, find first, delete.
;! output
;! ok 
;! ok 
;! ok 
;! ok 
;! 0080
;! ok 
;! ok 
;! ok 
org 100h
%include "dos.inc"
%macro try 1
    mov dx, fcb
    mov ah, %1
    int 21h
    call result
%endmacro
    mov dx, 80h
    mov ah, 1ah
    int 21h
    try 16h
    try 15h
    try 10h
    mov word [fcb+12], 0
    mov byte [fcb+32], 0
    try 0fh
    mov ax, [fcb+16]
    call hex4
    call crlf
    try 14h
    try 11h
    try 13h
    finish
result:
    or al, al
    mov dx, good
    jz .say
    mov dx, bad
.say: mov ah, 9
    int 21h
    ret
good: db 'ok ',13,10,'$'
bad: db 'fails',13,10,'$'
fcb: db 0, 'FCBTEST TMP'
    times 28 db 0
        hexadecimal
