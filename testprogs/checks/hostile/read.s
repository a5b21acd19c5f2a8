# One read of 128 MB after the other, and a vector of a thousand of them.
        .intel_syntax noprefix
        .globl _start
_start: mov eax,192 # mmap2, anonymous
        xor ebx,ebx
        mov ecx,128 << 20
        mov edx,3
        mov esi,0x22
        or edi,-1
        xor ebp,ebp
        int 0x80
        mov esi,eax
        mov eax,5
        lea ebx,name
        xor ecx,ecx
        int 0x80
        mov ebx,eax
        mov ecx,1024
        lea edi,pieces
fill:   mov [edi],esi
        mov dword ptr [edi+4],128 << 20
        add edi,8
        loop fill
again:  mov eax,3
        mov ecx,esi
        mov edx,128 << 20
        int 0x80
        mov eax,145
        lea ecx,pieces
        mov edx,1024
        int 0x80
        jmp again
        .data
name:   .asciz "/dev/urandom"
        .bss
pieces: .skip 8 * 1024
