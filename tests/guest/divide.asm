; Linux guest: quotients of IDIV that do not fit are #DE (SIGFPE), the largest that do are right. Exit status 0: as it should be.
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
        cmp dword [count], 3
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
        mov [esp + 8 + 14 * 4], eax ; EIP of the sigcontext behind the signal's number
        ret
section .data
after:  dd 0
count:  dd 0
