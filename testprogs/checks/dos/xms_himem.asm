; Extended memory as HIMEM.SYS has it: locked blocks, the high memory area, the functions for more than 64 MB, no upper memory, all handles.
;! dosbox it frees what is locked, and has other codes
;! options --mem 80M
;! output
;! 2F no Windows 1600
;! 00 version 0300 0310 0001
;! 02 free 0000 0093
;! 01 take 0001 0000
;! 01 again 0000 0091
;! 02 give 0001 0000
;! 0A locked 0000 00AB
;! 0F locked 0000 00AB
;! 0E two locks 0200
;! 0C 255 locks 0001
;! 0C one more 0000 00AC
;! 10 upper 0000 00B1
;! 0B odd 0000 00A7
;! 0B source offset 0000 00A4
;! 0B target offset 0000 00A6
;! 08 FFFF FFFF
;! 88 0001 3BB0 0000
;! 89 70000 KB 0001
;! 8E 0001 0000 003E 0001 1170
;! 0E 003E FFFF
;! 8F 0001
;! 89 too much 0000 00A0
;! 09 all handles 003E 00A1
;! 0E none left 0000
;! 06 A20 off 0000
;! 03 A20 on 0001
;! 04 A20 off 0000
org 100h
%include "dos.inc"
%include "report.inc"
%macro xms 2                    ; text, AH
        mov bl, 0
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
        mov ax, 4310h
        int 2fh
        mov [entry], bx
        mov [entry + 2], es
        mov ax, 1600h
        int 2fh
        report "2F no Windows", ax
        mov ah, 0
        call far [entry]
        report "00 version", ax, bx, dx
        xms "02 free", 2
        mov dx, 0ffffh
        xms "01 take", 1
        mov dx, 0ffffh
        xms "01 again", 1
        xms "02 give", 2
        mov dx, 16
        mov ah, 9
        call far [entry]
        mov [a], dx
        mov ah, 0ch
        call far [entry]
        mov dx, [a]
        mov ah, 0ch
        call far [entry]
        mov dx, [a]
        xms "0A locked", 0ah
        mov dx, [a]
        mov bx, 20
        mov ah, 0fh
        call far [entry]
        and bx, 0ffh
        report "0F locked", ax, bx
        mov dx, [a]
        mov ah, 0eh
        call far [entry]
        mov bl, 0
        report "0E two locks", bx
        mov cx, 253             ; 255 locks are the most
.lock:  mov dx, [a]
        mov ah, 0ch
        call far [entry]
        loop .lock
        report "0C 255 locks", ax
        mov dx, [a]
        xms "0C one more", 0ch
        mov dx, 100h
        xms "10 upper", 10h
        mov dx, 24
        mov ah, 9
        call far [entry]
        mov [b], dx
        fill 3, [a], [b]
        mov bl, 0
        mov si, move
        xms "0B odd", 0bh
        fill 2, [a], [b]
        mov dword [move + 6], 3fffh
        mov dword [move + 12], 0
        mov bl, 0
        mov si, move
        xms "0B source offset", 0bh
        fill 2, [a], [b]
        mov dword [move + 6], 0
        mov dword [move + 12], 5fffh
        mov bl, 0
        mov si, move
        xms "0B target offset", 0bh
        mov dx, [b]
        mov ah, 0ah
        call far [entry]
        mov ah, 8
        call far [entry]
        report "08", ax, dx
        mov ah, 88h
        call far [entry]
        sub edx, eax
        ror eax, 16
        mov di, ax
        ror eax, 16
        report "88", di, ax, dx
        mov edx, 70000
        mov ah, 89h
        call far [entry]
        mov [b], dx
        report "89 70000 KB", ax
        mov ah, 8eh
        call far [entry]
        ror edx, 16
        mov di, dx
        ror edx, 16
        mov bl, 0
        report "8E", ax, bx, cx, di, dx
        mov dx, [b]
        mov ah, 0eh
        call far [entry]
        report "0E", bx, dx
        mov dx, [b]
        mov ebx, 70001
        mov ah, 8fh
        call far [entry]
        report "8F", ax
        mov edx, 70000000
        xms "89 too much", 89h
        mov cx, 0               ; all handles
.each:  mov dx, 0
        mov ah, 9
        call far [entry]
        or ax, ax
        jz .none
        inc cx
        jmp .each
.none:  and bx, 0ffh
        report "09 all handles", cx, bx
        mov dx, [a]
        mov ah, 0eh
        call far [entry]
        mov bh, 0
        report "0E none left", bx
        mov ah, 6
        call far [entry]
        mov ah, 7
        call far [entry]
        report "06 A20 off", ax
        mov ah, 3
        call far [entry]
        mov ah, 7
        call far [entry]
        report "03 A20 on", ax
        mov ah, 4
        call far [entry]
        mov ah, 7
        call far [entry]
        report "04 A20 off", ax
        finish
entry:  dd 0
a:      dw 0
b:      dw 0
move:   times 16 db 0
        hexadecimal
        reports
