; Entry of the self-checking Linux guests, and the system call gate.
        bits 32
        global _start, guest_syscall, guest_restorer, guest_rt_restorer, memcpy, memset
        extern guest_main
        section .note.GNU-stack noalloc noexec nowrite progbits
        section .text

_start: mov eax, [esp]          ; argc
        lea ecx, [esp + 4]      ; argv
        lea edx, [ecx + eax * 4 + 4]
        push edx
        push ecx
        push eax
        call guest_main
        mov ebx, eax
        mov eax, 252            ; exit_group
        int 80h
        hlt

; int guest_syscall(int number, ...)
guest_syscall:
        push ebx
        push esi
        push edi
        push ebp
        mov eax, [esp + 20]
        mov ebx, [esp + 24]
        mov ecx, [esp + 28]
        mov edx, [esp + 32]
        mov esi, [esp + 36]
        mov edi, [esp + 40]
        mov ebp, [esp + 44]
        int 80h
        pop ebp
        pop edi
        pop esi
        pop ebx
        ret

guest_restorer:                 ; sa_restorer of a plain frame
        pop eax
        mov eax, 119            ; sigreturn
        int 80h
guest_rt_restorer:
        mov eax, 173            ; rt_sigreturn
        int 80h

; What a compiler may call for structures.
memcpy: push esi
        push edi
        mov edi, [esp + 12]
        mov esi, [esp + 16]
        mov ecx, [esp + 20]
        mov eax, edi
        rep movsb
        pop edi
        pop esi
        ret
memset: push edi
        mov edi, [esp + 8]
        mov al, [esp + 12]
        mov ecx, [esp + 16]
        mov edx, edi
        rep stosb
        mov eax, edx
        pop edi
        ret

; void guest_registers(u32 out[8], int pid): kill(pid, SIGUSR1) with known contents in all registers, DF and CF set;
; out = EAX EBX ECX EDX ESI EDI EBP EFLAGS as found after the handler.
        global guest_registers
guest_registers:
        pushad
        mov eax, 37             ; kill
        mov ebx, [esp + 32 + 8]
        mov ecx, 10             ; SIGUSR1
        mov edx, 11112222h
        mov esi, 33334444h
        mov edi, 55556666h
        mov ebp, 77778888h
        std
        stc
        int 80h
        pushfd
        cld
        push ebp
        push edi
        push esi
        push edx
        push ecx
        push ebx
        push eax
        mov esi, esp
        mov edi, [esp + 32 + 32 + 4]
        mov ecx, 8
        rep movsd
        add esp, 32
        popad
        ret
