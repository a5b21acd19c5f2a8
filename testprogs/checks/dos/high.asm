; A program whose header asks for no memory at all, neither at least nor at most, is placed at the end of its memory block.
;! name HIGH.EXE
;! output
;! paragraphs from CS to the end of memory 003E
;! paragraphs from the prefix to CS are more than 16
%include "dos.inc"
%include "report.inc"
org 0
image_bytes equ 3Eh * 16
db 'MZ'
dw 0, (image_bytes + 32 + 511) / 512, 0, 2, 0, 0, 0, image_bytes, 0, 0, 0, 1ch, 0
times 32-($-$$) db 0
section image vstart=0
    mov ax, ds              ; the prefix
    mov bx, [2]             ; the segment after the block
    mov cx, cs
    sub bx, cx
    sub cx, ax
    push cs
    pop ds
    mov [apart], cx
    report "paragraphs from CS to the end of memory", bx
    cmp word [apart], 16
    jbe .low
    mov dx, more
    mov ah, 9
    int 21h
.low:
    mov ax, 4c00h
    int 21h
apart: dw 0
more: db 'paragraphs from the prefix to CS are more than 16', 13, 10, '$'
reports
hexadecimal
times image_bytes - ($ - $$) db 0
