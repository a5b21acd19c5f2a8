; So is one that looks again and again whether there is a key.
;! options --model p54c-100 --clock 10
;! dosbox its input is a keyboard
;! output
;! Halted for good at 0x000fe211: out 0xb8, al (the program keeps asking for input, but the input has ended)
org 100h
.on:    mov ah, 0bh
        int 21h
        jmp .on
