; The kernel's assembly: where interrupts arrive, and the way into a test and back.
        bits 32
        section .text.start
        global _start, run_test, table_stubs, table_end
        extern kernel_main, found, test_frame, reset_registers, double_fault_tss, double_stub
        extern __bss_start, _end
_start: mov edi, __bss_start
        mov ecx, _end
        sub ecx, edi
        xor eax, eax
        rep stosb
        call kernel_main
        xchg bx, bx             ; Bochs's debugger stops here
        mov al, 0
        out 0f4h, al            ; p5scope, QEMU
        cli
        hlt

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
        ja real
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
        mov eax, dr6
        mov [found + 100], eax
back:   mov ax, 10h
        mov ss, ax
        mov es, ax
        mov fs, ax
        mov gs, ax
        mov esp, [kernel_esp]
        cld
        call reset_registers
        popad
        ret

; Double faults come as a task of their own.
double_stub:
        mov dword [found], 8
        mov eax, cr2
        mov [found + 80], eax
        jmp back

; Real mode: the kernel is a segment of 64 KB there, at its own address.
KERNEL equ 10000h
%define real_address(at) dword at - KERNEL
real:   sidt [protected_table]
        lidt [real_table]
        mov eax, cr0
        and eax, 7fffffffh
        mov cr0, eax
        jmp 30h:.narrow - KERNEL
        bits 16
.narrow:
        mov ax, 38h
        mov ds, ax
        mov es, ax
        mov fs, ax
        mov gs, ax
        mov ss, ax
        mov eax, cr0
        and al, 0feh
        mov cr0, eax
        jmp dword 1000h:.real - KERNEL
.real:  mov ss, [cs:real_address(test_frame + 44)]
        mov esp, [cs:real_address(test_frame + 48)]
        push word [cs:real_address(test_frame + 52)]
        push word [cs:real_address(test_frame + 56)]
        push word [cs:real_address(test_frame + 60)]
        mov es, [cs:real_address(test_frame + 32)]
        mov fs, [cs:real_address(test_frame + 36)]
        mov gs, [cs:real_address(test_frame + 40)]
        mov ds, [cs:real_address(test_frame + 28)]
        mov eax, [cs:real_address(test_frame)]
        mov ecx, [cs:real_address(test_frame + 4)]
        mov edx, [cs:real_address(test_frame + 8)]
        mov ebx, [cs:real_address(test_frame + 12)]
        mov ebp, [cs:real_address(test_frame + 16)]
        mov esi, [cs:real_address(test_frame + 20)]
        mov edi, [cs:real_address(test_frame + 24)]
        iret

        align 8
        global real_stubs
real_stubs:
%assign i 0
%rep 64
        align 8
        push byte i
        jmp near real_arrived
%assign i i + 1
%endrep
real_arrived:                   ; vector, IP, CS, FLAGS
        mov [cs:real_address(found + 28)], eax
        mov [cs:real_address(found + 32)], ecx
        mov [cs:real_address(found + 36)], edx
        mov [cs:real_address(found + 40)], ebx
        mov [cs:real_address(found + 44)], ebp
        mov [cs:real_address(found + 48)], esi
        mov [cs:real_address(found + 52)], edi
        xor eax, eax
        mov [cs:real_address(found + 4)], eax
        pop ax
        mov [cs:real_address(found)], eax
        pop ax
        mov [cs:real_address(found + 8)], eax
        pop ax
        mov [cs:real_address(found + 12)], eax
        pop ax
        mov [cs:real_address(found + 16)], eax
        mov [cs:real_address(found + 20)], esp
        mov [cs:real_address(found + 24)], ss
        mov [cs:real_address(found + 56)], ds
        mov [cs:real_address(found + 60)], es
        mov [cs:real_address(found + 64)], fs
        mov [cs:real_address(found + 68)], gs
        mov eax, cr0
        mov [cs:real_address(found + 84)], eax
        or al, 1
        mov cr0, eax
        jmp dword 8:.wide
        bits 32
.wide:  mov ax, 10h
        mov ds, ax
        mov ss, ax
        mov eax, cr0
        or eax, 80000000h
        mov cr0, eax
        jmp .paging
.paging:
        str [found + 88]
        sldt [found + 92]
        mov eax, cr4
        mov [found + 96], eax
        mov eax, dr6
        mov [found + 100], eax
        lidt [protected_table]
        jmp back
        extern real_vectors
        align 4
real_table: dw 4 * 64 - 1
        dd real_vectors
protected_table: dw 0
        dd 0

        section .bss
kernel_esp: resd 1
