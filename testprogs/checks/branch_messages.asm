; Taken branches at known places while TR12.TR is set, for branch_messages.c. The addresses there are the labels here.
%include "treg.inc"

start:  mov esp, 7000h
        mov word [idt + 40h * 8], handler - $$ + 8000h
        mov [idt + 40h * 8 + 2], cs
        mov word [idt + 40h * 8 + 4], 8e00h
        mov word [idt + 6 * 8], invalid - $$ + 8000h
        mov [idt + 6 * 8 + 2], cs
        mov word [idt + 6 * 8 + 4], 8e00h
        lidt [idtr]
        wr MSR_TR12, 2                  ; TR
        jmp near a8100
        times 100h - ($ - $$) nop
a8100:  jmp near a8200
        times 200h - ($ - $$) nop
a8200:  call a8300
a8205:  xor eax, eax
        jnz a8100                       ; not taken: no message
        mov ecx, 2
a8212:  loop a8212                      ; once taken
        jmp near a8400
        times 300h - ($ - $$) nop
a8300:  ret
        times 400h - ($ - $$) nop
a8400:  int 40h
        ud2                             ; a8402: a fault
        wr MSR_TR12, 102h               ; TR and FTR
        jmp near a8500
        times 500h - ($ - $$) nop
a8500:  jmp near a8600
        times 600h - ($ - $$) nop
a8600:  wr MSR_TR12, 100h               ; FTR alone: nothing
        jmp near a8700
        times 700h - ($ - $$) nop
a8700:  mov dword [check], 0
        jmp near fail
        times 800h - ($ - $$) nop
handler:
        iretd                           ; a8800
        times 900h - ($ - $$) nop
invalid:
        add dword [esp], 2              ; a8900
        iretd                           ; a8904
        align 8
idt:    times 41h dq 0
idtr:   dw 41h * 8 - 1
        dd idt
        ending
