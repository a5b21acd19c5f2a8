; Linux guest: quotients of IDIV and DIV that do not fit are #DE (SIGFPE) in every size, the largest that do are right. Exit status 0: as it
; should be.

; FAULTS INSTRUCTION...: must raise #DE, with EAX and EDX as they were.
%macro faults 1+
        mov dword [after], %%next
        %1
        jmp bad
%%next:
%endmacro

bits 32
global _start
section .text
_start:
        mov eax, 48             ; signal(SIGFPE, handler)
        mov ebx, 8
        mov ecx, handler
        int 0x80
        xor eax, eax            ; -2^62 / 2^31 does not fit either: 80000000h is -2^31, so -2^62 / -2^31 = 2^31
        mov edx, 0xc0000000
        mov ecx, 0x80000000
        mov dword [after], next1
        idiv ecx
        jmp bad
next1:  xor eax, eax            ; -2^63 / -1
        mov edx, 0x80000000
        mov ecx, -1
        mov dword [after], next2
        idiv ecx
        jmp bad
next2:  mov eax, 5              ; by zero
        cdq
        xor ecx, ecx
        mov dword [after], next3
        idiv ecx
        jmp bad
next3:  mov eax, 0x80000000     ; -2^31 / 1, and -7 / 2 = -3, remainder -1
        cdq
        mov ecx, 1
        idiv ecx
        cmp eax, 0x80000000
        jne bad
        mov eax, -7
        cdq
        mov ecx, 2
        idiv ecx
        cmp eax, -3
        jne bad
        cmp edx, -1
        jne bad
        mov eax, 0x8000         ; 8 bits: -2^15 / -1
        mov ecx, 0xff
        faults idiv cl
        mov ax, -128            ; -128 / -1 = 128, -128 / 1 fits
        faults idiv cl
        mov cl, 1
        idiv cl
        cmp ax, 0x0080
        jne bad
        mov eax, 0              ; 16 bits: -2^31 / -1
        mov edx, 0x8000
        mov ecx, 0xffff
        faults idiv cx
        cmp edx, 0x8000
        jne bad
        mov eax, 0x8000         ; -2^15 / 1 fits
        mov edx, 0xffff
        mov ecx, 1
        idiv cx
        cmp eax, 0x8000
        jne bad
        mov eax, 0xffffffff     ; DIV: 2^32 - 1 fits, 2^32 does not
        xor edx, edx
        mov ecx, 1
        div ecx
        cmp eax, 0xffffffff
        jne bad
        mov edx, 1
        faults div ecx
        faults div cx
        mov eax, 0x100
        faults div cl
        xor ecx, ecx
        faults div cl
        faults div cx
        faults div ecx
        faults idiv cl
        faults idiv cx
        faults aam 0
        cmp eax, 0x100
        jne bad
        cmp dword [count], 15
        jne bad
        xor ebx, ebx
        jmp quit
bad:    mov ebx, 1
quit:   mov eax, 1
        int 0x80
handler:
        inc dword [count]
        push ebx
        mov eax, 48             ; this signal() is good for one signal
        mov ebx, 8
        mov ecx, handler
        int 0x80
        pop ebx
        mov eax, [after]
        mov [esp + 8 + 14 * 4], eax ; EIP of the sigcontext after the signal's number
        ret
section .data
after:  dd 0
count:  dd 0
