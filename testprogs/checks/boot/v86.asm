; A task in virtual 8086 mode, IOPL 3, whose I/O map denies every port, calls the BIOS's INT 16h and then executes HLT. Its monitor prints the
; bytes at which #GP stops it: a HLT (F4h) unless it has seen a port of the BIOS's own.
        org 7c00h
        bits 16
        cli
        xor ax, ax
        mov ds, ax
        mov ax, 2401h           ; A20
        int 15h
        lgdt [gdtr]
        lidt [idtr]
        mov eax, cr0
        or al, 1
        mov cr0, eax
        jmp 8:protected
        bits 32
protected:
        mov ax, 16
        mov ds, ax
        mov es, ax
        mov ss, ax
        mov esp, 9000h
        mov edi, TSS
        mov ecx, 2068h
        xor eax, eax
        rep stosb
        mov dword [TSS + 4], 9000h
        mov dword [TSS + 8], 16
        mov word [TSS + 66h], 68h
        mov edi, TSS + 68h
        mov ecx, 2001h
        mov al, 0ffh
        rep stosb
        mov dword [IDT + 13 * 8], 80000h + monitor
        mov dword [IDT + 13 * 8 + 4], 8e00h
        mov ax, 24
        ltr ax
        push dword 0            ; GS, FS, DS, ES, SS, ESP
        push dword 0
        push dword 0
        push dword 0
        push dword 0
        push dword 7000h
        push dword 23002h       ; VM, IOPL 3
        push dword 0
        push dword task
        iretd
monitor:
        mov eax, 16
        mov ds, eax
        mov eax, [esp + 4]
        mov ecx, [esp + 8]
        shl ecx, 4
        mov al, [ecx + eax]
        push eax
        shr al, 4
        call digit
        pop eax
        call digit
        mov al, 0
        out 0f5h, al
        hlt
digit:  and al, 15
        cmp al, 10
        sbb al, 69h
        das
        out 0e9h, al
        ret
        bits 16
task:   mov ah, 1
        pushf
        call far [16h * 4]
        hlt
TSS     equ 10000h
IDT     equ 5000h
        align 8
gdt:    dq 0
        dq 00cf9b000000ffffh
        dq 00cf93000000ffffh
        dw 206fh, 0, 8901h, 0
gdtr:   dw $ - gdt - 1
        dd gdt
idtr:   dw 7ffh
        dd IDT
        times 510 - ($ - $$) db 0
        dw 0aa55h
