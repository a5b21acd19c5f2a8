; A program that asks for a key again and again after the end of its input is stopped. It may ask a few times.
;! input ab
;! dosbox its input is a keyboard
;! output
;! ab....Halted for good at 0x000fe211: out 0xb8, al (the program keeps asking for input, but the input has ended)
org 100h
        mov cx, 6
.few:   mov ah, 8
        int 21h
        mov dl, al
        cmp al, 1ah
        jne .put
        mov dl, '.'
.put:   mov ah, 2
        int 21h
        loop .few
.on:    mov ah, 8
        int 21h
        jmp .on
