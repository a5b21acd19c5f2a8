; x87 errors with CR0.NE clear, as on a PC: the next waiting instruction stands still, IRQ 13 comes, and port F0h answers it. With NE they are #MF.
%include "system.inc"
%include "pic.inc"
gate_entry equ 0
CR0_NE equ 20h
MF equ 16

; An error: 1 / 0, with #Z unmasked. ST(0) keeps 1.
%macro error 0
        fninit
        fldcw [unmask]
        fld1
        fdiv dword [zero]
%endmacro

start:  call boot
        pics 60h, 68h, ~4, ~20h ; the slave; line 13
        vector 6dh, irq13, 8eh

        mov eax, cr0
        or eax, CR0_NE
        mov cr0, eax
        begin_case
        error
        nop                     ; what is no x87 instruction does not wait
        fnstsw ax               ; nor does this
.a1:    fwait
        end_case MF, 0, .a1
        begin_case
        error
.a2:    fld1
        end_case MF, 0, .a2

        mov eax, cr0
        and eax, ~CR0_NE
        mov cr0, eax
        ; ---- the handler clears the error
        mov dword [handler_does], clear
        sti
        error
.b1:    fwait
        cli
        is dword [count], 1
        is dword [where], .b1
        ; ---- the handler only acknowledges it: the instruction continues, and so do others until there is another error
        mov dword [handler_does], nothing
        sti
        error
.b2:    fld1
        fadd st0, st1
        fwait
        cli
        is dword [count], 2
        is dword [where], .b2
        fnstsw ax
        and eax, 3884h          ; two are on the stack, ES and ZE still there
        is eax, 3084h
        sti
        fnclex
        fdiv dword [zero]
.b3:    fwait
        cli
        is dword [count], 3
        is dword [where], .b3
        ; ---- interrupts off, another one wakes it: it stands still again
        fnclex
        mov dword [handler_does], clear
        error
        in al, 0a1h
        or al, 20h
        out 0a1h, al            ; line 13 is masked for now
        mov al, ~5
        out 21h, al             ; counter 0
        vector 60h, timer, 8eh
        mov al, 30h
        out 43h, al
        mov al, 200
        out 40h, al
        xor al, al
        out 40h, al
        sti
.b4:    fwait
        cli
        is dword [ticks], 1
        is dword [count], 4
        is dword [where], .b4
        finish

irq13:  push eax
        inc dword [count]
        mov eax, [esp + 4]
        mov [where], eax
        xor al, al
        out 0f0h, al
        call [handler_does]
        mov al, 20h
        out 0a0h, al
        out 20h, al
        pop eax
        iretd
timer:  push eax                ; stands before .b4; opens line 13
        inc dword [ticks]
        in al, 0a1h
        and al, ~20h
        out 0a1h, al
        mov al, 20h
        out 20h, al
        pop eax
        iretd
clear:  fnclex
nothing: ret
unmask: dw 37bh
        align 4
zero:   dd 0
count:  dd 0
where:  dd 0
ticks:  dd 0
handler_does: dd 0
