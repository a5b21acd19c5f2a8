; 30000 random writes to the test registers. The guest may break itself (it may overwrite the line that it runs from); the host must not
; care. Without NS in TR1 a parity error would end it soon, and random tags below 1 MB would hit the program.
%include "treg.inc"

start:  mov esp, 7000h
        mov ebx, 12345678h              ; xorshift
        mov edi, 30000
again:  call random
        mov ecx, eax
        and ecx, 15
        cmp ecx, 2
        jb again
        cmp ecx, 0eh
        ja again
        cmp ecx, 3
        je again
        cmp ecx, 0ah
        je again
        call random
        cmp ecx, MSR_TR1
        jne not_1
        or eax, 2
not_1:  cmp ecx, MSR_TR4
        jne not_4
        or eax, 1 << 16                 ; tags from 1 MB on
not_4:  cmp ecx, MSR_TR2
        jne go
        push ebx
        push eax
        push ecx
        which_model
        pop ecx
        pop eax
        pop ebx
        cmp ebp, 2
        jne again
go:     xor edx, edx
        push ebx
        wrmsr
        rdmsr
        pop ebx
        movzx edx, bx
        mov eax, [200000h + edx * 4]
        test edi, 255
        jnz no_f
        wbinvd
        mov eax, cr3
        mov cr3, eax
no_f:   dec edi
        jnz again
        mov dword [check], 0
        jmp near fail

random: mov eax, ebx
        shl eax, 13
        xor ebx, eax
        mov eax, ebx
        shr eax, 17
        xor ebx, eax
        mov eax, ebx
        shl eax, 5
        xor ebx, eax
        mov eax, ebx
        ret
        ending
