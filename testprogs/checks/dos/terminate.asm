; A child's end goes to the terminate address of its prefix, not to what the parent's stack holds: the parent has freed the memory of
; its stack, and the child overwrites it.
;! output
;! child
;! parent again
org 100h
%include "dos.inc"
    cmp byte [80h], 0
    jne child
    mov sp, 9000h           ; far outside of what is kept
    mov ax, cs
    mov [pb+4], ax
    mov bx, 40h             ; 1 KB stays
    mov ah, 4ah
    int 21h
    mov [keep], ss
    mov dx, name
    mov bx, pb
    mov ax, 4b00h
    int 21h
    cli
    mov ax, cs
    mov ds, ax
    mov ss, ax
    mov sp, 400h
    sti
    say again
    finish
child:
    say text
    mov ax, cs              ; all memory up to 80000h
    add ax, 100h
.more: mov es, ax
    xor di, di
    mov cx, 4096
    mov bx, ax
    xor ax, ax
    rep stosw
    mov ax, bx
    add ax, 200h
    cmp ax, 8000h
    jb .more
    finish
keep: dw 0
text: db 'child',13,10,'$'
again: db 'parent again',13,10,'$'
name: db 'TERMINAT.COM',0
tail: db 1,' ',13
pb: dw 0, tail, 0, 5ch, 0, 6ch, 0
