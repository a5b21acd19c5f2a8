; INT 15h AH = 87h and XMS's AH = 0Bh access planar video memory as the processor does: through the map mask and the selected read map.
; The word lies below the lines that this program writes on the screen.
;! output
;! 87h to plane 2 0000
;! planes 0, 1, 2 0000 0000 1234
;! XMS to planes 0 and 1 0001
;! planes 0, 1, 2 ABCD ABCD 1234
;! 87h from plane 2 0000 1234
;! XMS from plane 1 0001 ABCD
org 100h
%include "dos.inc"
%include "report.inc"
%macro registers 3              ; port, index, value
        mov dx, %1
        mov ax, %3 << 8 | %2
        out dx, ax
%endmacro
        mov ax, 10h             ; 640 x 350 in 16 colours
        int 10h
        mov ax, cs
        movzx eax, ax
        shl eax, 4
        add eax, word_here
        mov [linear_here], eax
        mov [xms_here + 2], cs
        registers 3c4h, 2, 4    ; map mask: plane 2
        mov word [word_here], 1234h
        mov eax, [linear_here]
        mov ebx, 0a6000h
        call copy_87
        report "87h to plane 2", ax
        call show_planes
        registers 3c4h, 2, 3    ; planes 0 and 1
        mov word [word_here], 0abcdh
        mov eax, [xms_here]
        mov ebx, 0a6000000h
        call copy_xms
        report "XMS to planes 0 and 1", ax
        call show_planes
        registers 3ceh, 4, 2    ; read map: plane 2
        mov eax, 0a6000h
        mov ebx, [linear_here]
        call copy_87
        mov bx, [word_here]
        report "87h from plane 2", ax, bx
        registers 3ceh, 4, 1
        mov eax, 0a6000000h
        mov ebx, [xms_here]
        call copy_xms
        mov bx, [word_here]
        report "XMS from plane 1", ax, bx
        finish
; Copies a word from linear address EAX to linear address EBX by INT 15h. Returns AH of AH = 87h, with AL = 0.
copy_87:
        mov [table + 12h], eax
        mov byte [table + 15h], 93h
        mov [table + 1ah], ebx
        mov byte [table + 1dh], 93h
        push cs
        pop es
        mov si, table
        mov cx, 1
        mov ah, 87h
        int 15h
        mov al, 0
        ret
; Copies a word from far pointer EAX to far pointer EBX by XMS. Returns AX of AH = 0Bh.
copy_xms:
        mov [move + 6], eax
        mov [move + 12], ebx
        mov ax, 4310h
        int 2fh
        mov [entry], bx
        mov [entry + 2], es
        mov si, move
        mov ah, 0bh
        call far [entry]
        ret
; Returns the word at A000h:6000h of plane AH in AX.
plane:
        mov dx, 3ceh
        mov al, 4
        out dx, ax
        push es
        push 0a000h
        pop es
        mov ax, [es:6000h]
        pop es
        ret
show_planes:
        mov ah, 1
        call plane
        mov bx, ax
        mov ah, 2
        call plane
        mov cx, ax
        mov ah, 0
        call plane
        report "planes 0, 1, 2", ax, bx, cx
        ret
        hexadecimal
        reports
table:  times 2 dq 0            ; descriptors for AH = 87h
        times 2 dw 0ffffh, 0, 0, 0
        times 2 dq 0
move:   dd 2                    ; the table of AH = 0Bh
        dw 0
        dd 0
        dw 0
        dd 0
entry:  dd 0
word_here: dw 0
linear_here: dd 0
xms_here: dw word_here, 0
