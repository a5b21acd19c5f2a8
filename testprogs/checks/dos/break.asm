; Ctrl-C calls INT 23h (Ralf Brown's Interrupt List). After IRET, or RETF with carry clear, DOS repeats the function; after RETF with carry set it
; ends the program, here a child: AX = 0100h of AH = 4Dh. DOS's own handler ends the program, too. AH = 06h and 07h read Ctrl-C as a character.
;! dosbox its input is a keyboard
;! input a\003bc\003d\ne\003f\n\003\003g\003\003
;! output
;! a01 0061
;! ^C
;! !08 0062
;! c^C
;! !d0A 6401 000D
;! ^C
;! -3F 0003 0D66
;! 07 0003
;! ^C
;! -0B 00FF
;! 08 0067
;! calls, stack kept 0004 0000
;! ^C
;! 4D 0100
;! the parent's handler again 0000
;! ^C
org 100h
%include "dos.inc"
%include "report.inc"
        cmp byte [80h], 0
        jne child
        shrink
        mov ax, 3523h
        int 21h
        mov [own], bx
        mov [own + 2], es
        push cs
        pop es
        mov dx, handler
        mov ax, 2523h
        int 21h
        report_al "01", 1
        report_al "08", 8
        mov dx, line
        mov ah, 0ah
        int 21h
        mov ax, [line + 1]
        mov bl, [line + 3]
        mov bh, 0
        report "0A", ax, bx
        mov word [return], by_retf
        mov byte [mark], '-'
        mov dx, line
        mov cx, 10
        mov bx, 0
        mov ah, 3fh
        int 21h
        mov bx, [line]
        report "3F", ax, bx
        report_al "07", 7
.look:  mov ah, 0bh
        int 21h
        or al, al
        jz .look
        and ax, 0ffh
        report "0B", ax
        report_al "08", 8
        mov ax, [calls]
        mov bx, stack
        sub bx, sp
        report "calls, stack kept", ax, bx
        mov [block + 4], cs
        mov dx, name
        mov bx, block
        mov ax, 4b00h
        int 21h
        mov ah, 4dh
        int 21h
        report "4D", ax
        mov ax, 3523h
        int 21h
        sub bx, handler
        report "the parent's handler again", bx
        lds dx, [own]
        mov ax, 2523h
        int 21h
        mov ah, 8
        int 21h
        report "not reached"
        finish
child:  mov dx, ends
        mov ax, 2523h
        int 21h
        mov ah, 8
        int 21h
        report "not reached"
        finish
handler: push ax
        push dx
        mov ah, 2
        mov dl, [cs:mark]
        int 21h
        pop dx
        pop ax
        inc word [cs:calls]
        jmp [cs:return]
by_iret:
        iret
by_retf: clc
        retf
ends:   stc
        retf
name:   db 'BREAK.COM', 0
block:  dw 0, tail, 0, 5ch, 0, 6ch, 0
tail:   db 1, 'c', 13
own:    dd 0
calls:  dw 0
return: dw by_iret
mark:   db '!'
line:   db 20, 0
        times 22 db 0
        hexadecimal
        reports
        align 16
        times 400h db 0
stack:
