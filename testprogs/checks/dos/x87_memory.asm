; x87 operands in memory in real mode, at each address within two paragraphs: the results, and how often they are the same.
;! output
;! 94127B49000000000000008052622F4185FF29B10F000000008052622F4185FFFFFFFFFFFFFF0000F6C2AEB00F00
;! 20
org 100h
%include "dos.inc"
        finit
        mov di, buffer
.next:  mov word [di], -123
        fild word [di]
        fist word [di+24]
        mov dword [di], 456789
        fild dword [di]
        mov dword [di], 3f400000h       ; 0.75
        fmul dword [di]
        mov dword [di], 0
        mov dword [di+4], 40180000h     ; 6.0
        fadd qword [di]
        fsub st0, st1
        mov word [di], 77
        fiadd word [di]
        mov dword [di], 3
        fimul dword [di]
        fst dword [di+8]
        fst qword [di+16]
        fist dword [di+26]
        fstp qword [di+30]
        fistp qword [di+38]
        fild qword [di+38]
        fstp dword [di+46]
        fld dword [di+46]
        fld qword [di+30]
        faddp
        fistp dword [di+50]
        push ds
        pop es
        cld
        lea si, [di+8]
        mov bx, di
        mov di, first
        mov cx, 46
        cmp bx, buffer
        jne .compare
        rep movsb
        mov si, di
.compare:
        repe cmpsb
        jne .other
        inc byte [same]
.other: mov di, bx
        inc di
        cmp di, buffer + 32
        jb .next
        mov si, first
        mov cx, 46
.byte:  lodsb
        call hex2
        loop .byte
        call crlf
        mov al, [same]
        call hex2
        call crlf
        finish
        hexadecimal
        align 16
buffer: times 128 db 0
first:  times 46 db 0
same:   db 0
