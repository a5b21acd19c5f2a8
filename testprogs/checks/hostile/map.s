# Maps most of its memory and unmaps it, without touching it; eight times, so that pages come again.
        .intel_syntax noprefix
        .globl _start
_start: push 8
again:  mov eax,192                     # mmap2
        xor ebx,ebx
        mov ecx,0x0c000000
        mov edx,3                       # read, write
        mov esi,0x22                    # private, anonymous
        mov edi,-1
        xor ebp,ebp
        int 0x80
        cmp eax,0xfffff000
        ja bad
        mov ebx,eax
        mov eax,91                      # munmap
        int 0x80
        dec dword ptr [esp]
        jnz again
        xor ebx,ebx
        jmp leave
bad:    mov ebx,1
leave:  mov eax,1
        int 0x80
