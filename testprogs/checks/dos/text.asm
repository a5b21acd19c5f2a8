; INT 10h in text modes. After each step a line has a checksum of the text memory, the cursors of pages 0 and 1, the CRT controller's start and
; cursor, and what the data area has of page, rows and height of a character.
;! after results
;! output
;! 7C9AA689 0000 0000 0000 0000 1018
;! C6D36CCD 0308 0000 0000 00F8 1018
;! D6D36D0D 0309 0000 0000 00F9 1018
;! C2F9F2A5 1805 0000 0000 0785 1018
;! C2F9F2A5 0000 0000 0000 0000 1018
;! C029CE9C 0000 0000 0000 0000 1018
;! F51709E9 0000 0000 0000 0000 1018
;! 65B329EA 0000 0000 0000 0000 1018
;! 65B329EA 0000 0000 0000 0000 1018
;! AD911509 0000 0A06 0800 0B26 1058
;! AD911509 0102 0A06 0800 0B26 1058
;! AD911509 0102 0A06 0000 0052 1018
;! D71F2A33 0102 0A06 0000 0052 1018
;! 80CD4760 0600 0A06 0000 01E0 1018
;! 0A2BC04A 0600 0A06 0000 01E0 1018
;! 98C45631 0902 0A06 0000 02D2 1018
;! AAAAEE97 1800 0000 0000 03C0 1018
;! 8E63E126 1800 0000 0800 0829 1098
;! 7C9AA689 0000 0000 0000 0000 0831
;! 6A9C9AC4 3101 0000 0000 0F51 0831
;! 6A9C9AC4 3101 0000 0000 0F51 0E1B
;! 6A9C9AC4 3101 0000 0000 0F51 1018
;! 6A9C9AC4 0000 0000 0000 0000 1018
;! EFE04001 0308 0000 0000 00F8 1018
;! 0A06 0000 2E65 0B0C 5003 0000 001A 0008 0003 5003 
org 100h
%include "dos.inc"
%include "checksum.inc"
%macro step 0
        call look
%endmacro
%macro video 1-4                ; AX, BX, CX, DX
  %if %0 > 3
        mov dx, %4
  %endif
  %if %0 > 2
        mov cx, %3
  %endif
  %if %0 > 1
        mov bx, %2
  %endif
        mov ax, %1
        int 10h
%endmacro
        cld
        mov di, lines
        video 3
        step
        video 200h, 0, 0, 0308h         ; cursor
        video 0941h, 1eh, 5             ; five of A in yellow on blue
        step
        video 200h, 0, 0, 0309h
        video 0a42h, 70h, 2             ; two of B keep the colours
        step
        video 200h, 0, 0, 184dh         ; teletype over the end of the screen
        mov si, typed
.type:  lodsb
        mov ah, 0eh
        mov bx, 7
        int 10h
        cmp byte [si], 0ffh
        jne .type
        step
        video 200h, 0, 0, 0
        video 0e08h, 7                  ; back where there is nothing
        step
        video 0601h, 4f00h, 0205h, 0a30h        ; windows: up one, down two, empty
        step
        video 0702h, 2100h, 0104h, 0c4fh
        step
        video 0600h, 5200h, 0f0ah, 110bh
        step
        video 0601h, 0700h, 1400h, 3060h        ; further than the screen
        step
        video 0501h                     ; page 1
        video 200h, 0100h, 0, 0a05h
        video 0e50h, 0107h
        video 0951h, 0124h, 3
        step
        video 300h, 0100h
        mov [values], dx
        video 300h, 0
        mov [values + 2], dx
        video 200h, 0, 0, 0102h         ; the cursor of the other one
        step
        video 0500h
        step
        push cs
        pop es
        mov bp, text                    ; strings, with and without colours, which move the cursor or do not
        video 1300h, 2eh, 5, 0510h
        step
        mov bp, text
        video 1301h, 3eh, 5, 0610h
        step
        mov bp, coloured
        video 1302h, 0, 4, 0710h
        step
        mov bp, coloured
        video 1303h, 0, 4, 084eh
        step
        video 200h, 0, 0, 0511h
        video 0800h, 0
        mov [values + 4], ax
        video 0100h, 0, 0b0ch           ; the cursor's shape
        video 300h, 0
        mov [values + 6], cx
        video 0f00h, 0
        mov [values + 8], ax
        mov [values + 10], bx
        video 1a00h, 0
        mov [values + 12], al
        mov [values + 14], bx
        video 1200h, 0ff10h, 0
        mov [values + 16], bx
        video 1
        video 200h, 0, 0, 1827h
        video 0e31h, 7
        step
        video 0502h                     ; its pages have 2 KB
        video 200h, 0200h, 0, 0101h
        video 0932h, 0215h, 90
        step
        video 3
        video 1112h, 0                  ; 8 x 8: 50 rows
        step
        video 200h, 0, 0, 3100h
        video 0e5ah, 7
        video 0e0ah, 7
        step
        video 1111h, 0                  ; 8 x 14: 28 rows
        step
        video 1114h, 0
        step
        video 83h                       ; the text is kept
        step
        video 7                         ; monochrome, at B0000h
        video 200h, 0, 0, 0308h
        video 0941h, 70h, 5
        step
        video 3
        video 0f00h, 0
        mov [values + 18], ax
        mov dx, results
        mov ah, 9
        int 21h
        mov si, lines
.line:  lodsw
        mov bx, ax
        lodsw
        call hex4
        mov ax, bx
        call hex4
        mov cx, 5
.word:  mov dl, ' '
        mov ah, 2
        int 21h
        lodsw
        call hex4
        loop .word
        call crlf
        cmp si, di
        jb .line
        mov si, values
        mov cx, 10
.value: lodsw
        call hex4
        mov dl, ' '
        mov ah, 2
        int 21h
        loop .value
        call crlf
        finish
look:   pusha                           ; appends a line at DI
        push es
        push ds
        mov ax, 40h
        mov es, ax
        mov ax, 0b800h
        cmp byte [es:49h], 7
        jne .colour
        mov ax, 0b000h
.colour: mov dword [sum], 0
        mov es, ax
        xor si, si
.byte:  mov al, [es:si]
        call add_al
        inc si
        cmp si, 4000h
        jb .byte
        mov eax, [sum]
        mov [di], eax
        mov ax, 40h
        mov es, ax
        mov ax, [es:50h]
        mov [di + 4], ax
        mov ax, [es:52h]
        mov [di + 6], ax
        mov dx, [es:63h]
        mov al, 0ch
        call crtc
        mov [di + 8], ax
        mov al, 0eh
        call crtc
        mov [di + 10], ax
        mov al, [es:62h]
        shl al, 6
        add al, [es:84h]
        mov ah, [es:85h]
        mov [di + 12], ax
        pop ds
        pop es
        popa
        add di, 14
        ret
crtc:   out dx, al                      ; AX: a register and the next one
        inc dx
        mov ah, al
        in al, dx
        xchg al, ah
        dec dx
        inc al
        out dx, al
        inc dx
        in al, dx
        dec dx
        ret
typed:  db 'wraps', 13, 10, 'next', 8, 'X', 7, '!', 0ffh
text:   db 'te t', 13
coloured: db 'c', 12h, 'd', 34h, 'e', 56h, 'f', 78h
values: times 16 dw 0
results: db 13, 10, 'results', 13, 10, '$'
        hexadecimal
        checksums
lines:
