; The kernel's assembly: where interrupts arrive, and the way into a test and back.
        bits 32
        section .text.start
        global _start, run_test, table_stubs, table_end
        extern kernel_main, found, test_frame, restore_tables, double_fault_tss, double_stub
        extern __bss_start, _end
_start: mov edi, __bss_start
        mov ecx, _end
        sub ecx, edi
        xor eax, eax
        rep stosb
        call kernel_main
        mov al, 0
        out 0f4h, al            ; p5scope, QEMU
        mov dx, 8900h           ; Bochs
        mov esi, shutdown
        mov ecx, 8
        rep outsb
        cli
        hlt
shutdown: db 'Shutdown'

        section .text
; test_frame: EAX ECX EDX EBX EBP ESI EDI, DS ES FS GS, SS ESP EFLAGS CS EIP, and for V86: from EIP on as IRET takes them
run_test:
        pushad
        mov [kernel_esp], esp
        mov esi, test_frame
        mov ax, [esi + 28]
        cmp dword [esi + 64], 0 ; kind: 0 same level, 1 outer level, 2 V86
        je same
        cmp dword [esi + 64], 2
        je v86
        push dword [esi + 44]
        push dword [esi + 48]
        jmp outer
v86:    push dword [esi + 40]
        push dword [esi + 36]
        push dword [esi + 28]
        push dword [esi + 32]
        push dword [esi + 44]
        push dword [esi + 48]
        push dword [esi + 52]
        push dword [esi + 56]
        push dword [esi + 60]
        jmp load
same:   mov ss, [esi + 44]
        mov esp, [esi + 48]
outer: push dword [esi + 52]
        push dword [esi + 56]
        push dword [esi + 60]
        mov es, [esi + 32]
        mov fs, [esi + 36]
        mov gs, [esi + 40]
load:   mov eax, [esi]
        mov ecx, [esi + 4]
        mov edx, [esi + 8]
        mov ebx, [esi + 12]
        mov ebp, [esi + 16]
        mov edi, [esi + 24]
        push dword [esi + 20]
        cmp dword [esi + 64], 2
        je .v86
        mov ds, [esi + 28]
.v86:   pop esi
        iretd

; The 256 entries: 16 bytes apart.
%macro entry 1
        align 16
%if %1 = 8 || (%1 >= 10 && %1 <= 14) || %1 = 17
%else
        push dword 0
%endif
        push dword %1
        jmp arrived
%endmacro
        align 16
table_stubs:
%assign i 0
%rep 64
        entry i
%assign i i + 1
%endrep
        align 16
table_end:

; Everything into `found`: vector, error code, EIP, CS, EFLAGS, ESP, SS, then the registers.
arrived:
        push eax
        push eax
        mov eax, ds
        mov [esp + 4], eax
        mov ax, 10h
        mov ds, ax
        pop eax
        mov [found + 28], eax
        mov [found + 32], ecx
        mov [found + 36], edx
        mov [found + 40], ebx
        mov [found + 44], ebp
        mov [found + 48], esi
        mov [found + 52], edi
        pop eax
        movzx eax, ax
        mov [found + 56], eax
        mov [found + 60], es
        mov [found + 64], fs
        mov [found + 68], gs
        mov eax, ss
        mov [found + 72], eax   ; the handler's stack
        mov [found + 76], esp
        mov ebx, [esp]
        mov [found], ebx
        mov eax, [esp + 4]
        mov [found + 4], eax
        mov eax, [esp + 8]
        mov [found + 8], eax
        mov eax, [esp + 12]
        mov [found + 12], eax
        mov eax, [esp + 16]
        mov [found + 16], eax
        mov eax, [esp + 20]
        mov [found + 20], eax
        mov eax, [esp + 24]
        mov [found + 24], eax
        mov eax, cr2
        mov [found + 80], eax
        mov eax, cr0
        mov [found + 84], eax
        str [found + 88]
        sldt [found + 92]
        mov eax, cr4
        mov [found + 96], eax
back:   mov ax, 10h
        mov ss, ax
        mov es, ax
        mov fs, ax
        mov gs, ax
        mov esp, [kernel_esp]
        cld
        call restore_tables
        popad
        ret

; Double faults come as a task of their own.
double_stub:
        mov dword [found], 8
        mov eax, cr2
        mov [found + 80], eax
        jmp back

        section .bss
kernel_esp: resd 1
