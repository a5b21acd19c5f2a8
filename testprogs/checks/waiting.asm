; An interrupt that waits while IF is clear is taken where IF is set: after the instruction that follows STI (241430, 25: STI), after POPF and IRET at
; once, and never before, whatever is executed meanwhile. Many blocks of code come before, so that it is not looked for after each.
%include "system.inc"
%include "pic.inc"
gate_entry equ 0

; A tick comes during the loop, with IF clear.
%macro tick_comes 0
        mov al, 30h             ; counter 0 counts once
        out 43h, al
        mov al, 20
        out 40h, al
        xor al, al
        out 40h, al
        mov ecx, 3000
%%loop: add eax, ecx
        test ecx, 1
        jz %%even
        xor [sum], eax
%%even: dec ecx
        jnz %%loop
        is dword [count], [before]
        inc dword [before]
%endmacro

; The tick has come now, before this instruction.
%macro taken_at 1
        cli
        is dword [where], %1
        is dword [count], [before]
%endmacro

start:  call boot
        cli
        pics 60h, 68h, ~1, ~0   ; line 0
        vector 60h, tick, 8eh

        mov ebp, 3
again:  tick_comes
        sti
        inc eax                 ; still kept off
.a1:    nop
        taken_at .a1

        tick_comes
        pushfd
        or dword [esp], 200h
        popfd
.a2:    nop
        taken_at .a2

        tick_comes
        pushfd
        or dword [esp], 200h
        push cs
        push dword .a3
        iretd
.a3:    nop
        taken_at .a3

        tick_comes
        sti                     ; with CLI after it no interrupt comes
        cli
        mov ecx, 3000
.none:  dec ecx
        jnz .none
        mov ebx, [before]
        dec ebx
        is dword [count], ebx
        sti
        nop
.a4:    nop
        taken_at .a4
        dec ebp
        jnz again
        finish

tick:   push eax
        inc dword [count]
        mov eax, [esp + 4]
        mov [where], eax
        mov al, 20h
        out 20h, al
        pop eax
        iretd
        align 4
sum:    dd 0
count:  dd 0
before: dd 0
where:  dd 0
