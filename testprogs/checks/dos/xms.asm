; Extended memory by XMS 3.0: each line has AX and BL of a call of HIMEM's entry point, and DX where it answers there.
;! output
;! 2F 0080
;! 00 version 0300
;! 08 all in one 0000 0000
;! 09 a 0001
;! 09 b 0001
;! 09 c 0001
;! 08 less FFC0 C
;! 0A b 0001 0000
;! 0A again 0000 00A2
;! 08 a hole 0020
;! 09 b 0001
;! 08 the rest of it 0008
;! 09 too much 0000 00A0
;! 0C lock 0001
;! 0C b behind a 0000 4000
;! 0D unlock 0001
;! 0D again 0000 00AA
;! 0E 0001 0100 0010
;! 0B to a 0001 0000
;! 0B a to b 0001 0000
;! 0B back 0001 0000
;! different 0000
;! 0B within a 0001 0000
;! 0B nothing 0001 0000
;! 0B source 0000 00A3
;! 0B target 0000 00A5
;! 0B ends 0001 0000
;! 0F grows 0001
;! 0E size 0030
;! 0B kept 0001 0000
;! different 0000
;! 0F shrinks 0001
;! 0E size 0008
;! 0F too much 0000 00A0
;! 0F no handle 0000 00A2
;! 0C no handle 0000 00A2
;! 0D no handle 0000 00A2
;! 0E no handle 0000 00A2
;! 09 nothing 0001
;! 70 no such 0000 0080
;! 07 A20 0001 0000
;! 08 all again 0000
org 100h
%include "dos.inc"
%include "report.inc"
%macro xms 2-3                  ; text, AH, registers to report
        mov ah, %2
        call far [entry]
        and bx, 0ffh
        report %1, ax, bx
%endmacro
%macro fill 3                   ; length, source handle, target handle
        mov dword [move], %1
        mov ax, %2
        mov [move + 4], ax
        mov ax, %3
        mov [move + 10], ax
%endmacro
        mov ax, 4300h
        int 2fh
        and ax, 0ffh
        report "2F", ax
        mov ax, 4310h
        int 2fh
        mov [entry], bx
        mov [entry + 2], es
        push cs
        pop es
        mov ah, 0
        call far [entry]
        report "00 version", ax
        mov ah, 8
        mov bl, 0
        call far [entry]
        sub ax, dx              ; one hole
        and bx, 0ffh
        report "08 all in one", ax, bx
        mov [all], dx
        mov dx, 16
        mov ah, 9
        call far [entry]
        report "09 a", ax
        mov [a], dx
        mov dx, 32
        mov ah, 9
        call far [entry]
        report "09 b", ax
        mov [b], dx
        mov dx, 16
        mov ah, 9
        call far [entry]
        report "09 c", ax
        mov [c], dx
        mov ah, 8
        call far [entry]
        sub dx, [all]
        report "08 less", dx
        mov dx, [b]
        xms "0A b", 0ah
        mov dx, [b]
        mov bl, 0
        xms "0A again", 0ah
        mov ah, 8
        call far [entry]
        sub dx, ax
        report "08 a hole", dx
        mov dx, 24              ; into it
        mov ah, 9
        call far [entry]
        mov [b], dx
        report "09 b", ax
        mov ah, 8
        call far [entry]
        sub dx, ax
        report "08 the rest of it", dx
        mov dx, 0fff0h
        mov bl, 0
        xms "09 too much", 9
        mov dx, [a]
        mov ah, 0ch
        call far [entry]
        mov [linear], bx
        mov [linear + 2], dx
        report "0C lock", ax
        mov dx, [b]
        mov ah, 0ch
        call far [entry]
        sub bx, [linear]
        sbb dx, [linear + 2]
        report "0C b behind a", dx, bx
        mov dx, [b]
        mov ah, 0dh
        call far [entry]
        report "0D unlock", ax
        mov dx, [b]
        mov bl, 0
        xms "0D again", 0dh
        mov dx, [a]
        mov ah, 0eh
        call far [entry]
        mov bl, 0
        report "0E", ax, bx, dx
        mov dx, [a]
        mov ah, 0dh
        call far [entry]
        ; moves
        mov di, page            ; a pattern to a, from there to b 100h further on, and back
.fill:  mov ax, di
        stosw
        cmp di, page + 200h
        jb .fill
        fill 200h, 0, [a]
        mov word [move + 6], page
        mov [move + 8], cs
        mov dword [move + 12], 10h
        mov si, move
        xms "0B to a", 0bh
        fill 200h, [a], [b]
        mov dword [move + 6], 10h
        mov dword [move + 12], 5e00h
        mov si, move
        xms "0B a to b", 0bh
        fill 200h, [b], 0
        mov dword [move + 6], 5e00h
        mov word [move + 12], page + 200h
        mov [move + 14], cs
        mov si, move
        xms "0B back", 0bh
        mov si, page
        mov di, page + 200h
        mov cx, 200h
        repe cmpsb
        report "different", cx
        fill 2, [a], [a]        ; the next two bytes after it
        mov dword [move + 6], 20eh
        mov dword [move + 12], 0
        mov word [move], 4
        mov si, move
        xms "0B within a", 0bh
        fill 0, [a], [b]
        mov bl, 0
        mov si, move
        xms "0B nothing", 0bh
        fill 2, 77h, [b]
        mov bl, 0
        mov si, move
        xms "0B source", 0bh
        fill 2, [a], 77h
        mov bl, 0
        mov si, move
        xms "0B target", 0bh
        fill 2, [a], [b]        ; the last two bytes
        mov dword [move + 6], 3ffeh
        mov dword [move + 12], 5ffeh
        mov bl, 0
        mov si, move
        xms "0B ends", 0bh
        mov dx, [a]             ; a moves after c and keeps what it has
        mov bx, 48
        mov ah, 0fh
        call far [entry]
        report "0F grows", ax
        mov dx, [a]
        mov ah, 0eh
        call far [entry]
        report "0E size", dx
        fill 200h, [a], 0
        mov dword [move + 6], 10h
        mov word [move + 12], page + 200h
        mov [move + 14], cs
        mov di, page + 200h
        mov cx, 100h
        xor ax, ax
        rep stosw
        mov bl, 0
        mov si, move
        xms "0B kept", 0bh
        mov si, page
        mov di, page + 200h
        mov cx, 200h
        repe cmpsb
        report "different", cx
        mov dx, [c]
        mov bx, 8
        mov ah, 0fh
        call far [entry]
        report "0F shrinks", ax
        mov dx, [c]
        mov ah, 0eh
        call far [entry]
        report "0E size", dx
        mov dx, [c]
        mov bx, 0fff0h
        xms "0F too much", 0fh
        mov dx, 77h
        mov bx, 1
        xms "0F no handle", 0fh
        mov dx, 77h
        mov bl, 0
        xms "0C no handle", 0ch
        mov dx, 77h
        mov bl, 0
        xms "0D no handle", 0dh
        mov dx, 77h
        mov bl, 0
        xms "0E no handle", 0eh
        mov dx, 0
        mov ah, 9
        call far [entry]
        report "09 nothing", ax
        mov ah, 0ah
        call far [entry]
        mov bl, 0
        xms "70 no such", 70h
        mov ah, 5
        call far [entry]
        mov ah, 7
        mov bl, 1
        call far [entry]
        and bx, 0ffh
        report "07 A20", ax, bx
        mov dx, [a]
        mov ah, 0ah
        call far [entry]
        mov dx, [b]
        mov ah, 0ah
        call far [entry]
        mov dx, [c]
        mov ah, 0ah
        call far [entry]
        mov ah, 8
        call far [entry]
        sub dx, [all]
        report "08 all again", dx
        finish
entry:  dd 0
all:    dw 0
a:      dw 0
b:      dw 0
c:      dw 0
linear: dd 0
move:   times 16 db 0
        hexadecimal
        reports
        align 2
page:
