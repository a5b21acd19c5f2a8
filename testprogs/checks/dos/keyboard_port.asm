; Programs that receive keys without a call: by port 60h, read once in a frame; by a handler of IRQ 1 whose vector they write themselves; and by one
; that passes the keys on, which DOS then returns in order.
;! dosbox nobody types there
;! options --keys a<esc>cdeeeeeeeexyz
;! output
;! frames with A, with Esc 0001 0001
;! handler, pressed keys 202E 1212
;! 08 0079
;! 08 007A
org 100h
%include "dos.inc"
%include "report.inc"
        mov al, 1eh
        call frames
        mov bx, ax
        mov al, 1
        call frames
        xchg ax, bx
        report "frames with A, with Esc", ax, bx
        mov dx, handler
        call set
.wait:  cmp word [count], 4
        jb .wait
        mov ax, [bytes]
        mov bx, [bytes + 2]
        report "handler, pressed keys", ax, bx
        mov dx, passes
        call set
.skip:  mov ah, 8
        int 21h
        cmp al, 'x'
        jne .skip
        mov ah, 8
        int 21h
        mov ah, 0
        report "08", ax
        mov ah, 8
        int 21h
        mov ah, 0
        report "08", ax
        mov dx, [old]
        push word [old + 2]
        pop word [cs:home]
        call set
        finish
frames: mov bl, al              ; AX = 1 if a frame begins with scan code AL at port 60h, 0 if none of 100 does
        mov cx, 100
.frame: mov dx, 3dah
.ends:  in al, dx
        test al, 8
        jnz .ends
.begins: in al, dx
        test al, 8
        jz .begins
        in al, 60h
        cmp al, bl
        je .there
        loop .frame
        xor ax, ax
        ret
.there: mov ax, 1
        ret
set:    push es                 ; sets vector 9 to `home`:DX
        cli
        xor ax, ax
        mov es, ax
        cmp word [old + 2], 0
        jne .saved
        mov eax, [es:24h]
        mov [old], eax
        mov [home], cs
.saved: mov [es:24h], dx
        mov ax, [home]
        mov [es:26h], ax
        sti
        pop es
        ret
handler: push ax
        push bx
        in al, 60h
        test al, 80h
        jnz .full
        mov bx, [cs:count]
        cmp bx, 4
        jae .full
        mov [cs:bytes + bx], al
        inc word [cs:count]
.full:  mov al, 20h
        out 20h, al
        pop bx
        pop ax
        iret
passes: push ax
        in al, 60h
        pop ax
        jmp far [cs:old]
old:    dd 0
home: dw 0
count:  dw 0
bytes:  times 4 db 0
        hexadecimal
        reports
