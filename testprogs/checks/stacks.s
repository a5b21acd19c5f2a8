# Call stacks of all kinds. Each function executes a known number of instructions: the comments say how many, calls and jumps included.
        .intel_syntax noprefix
        .macro function name
        .globl \name
        .type \name, @function
\name:
        .endm
        .macro end name
        .size \name, . - \name
        .endm
        .text
function _start                 # 20
        call plain
        mov ecx, 5
        call recursive
        call tail
        call outer
        mov eax, 48             # signal(SIGUSR1, handler)
        mov ebx, 10
        mov ecx, offset handler
        int 0x80
        call interrupted
        call reads_eip
        mov eax, 1
        xor ebx, ebx
        int 0x80
end _start
function plain                  # 3
        nop
        nop
        ret
end plain
function recursive              # each of 5: dec, jz, call, ret; the last: dec, jz, ret
        dec ecx
        jz 1f
        call recursive
1:      ret
end recursive
function tail                   # 2
        nop
        jmp tail_target
end tail
function tail_target            # 2
        nop
        ret
end tail_target
function outer                  # 4, then 2: as longjmp comes back
        push ebp
        mov [saved], esp
        nop
        call middle
resume: pop ebp
        ret
end outer
function middle                 # 2; the third is never reached
        nop
        call deep
        ret
end middle
function deep                   # 3
        nop
        mov esp, [saved]
        jmp resume
end deep
function interrupted            # 9
        mov eax, 20             # getpid
        int 0x80
        mov ebx, eax
        mov eax, 37             # kill(getpid(), SIGUSR1)
        mov ecx, 10
        int 0x80
        nop
        nop
        ret
end interrupted
function handler                # 3, and 3 on the stack that lead back to the kernel
        nop
        nop
        ret
end handler
function reads_eip              # 4
        call 1f
1:      pop eax
        nop
        ret
end reads_eip
        .bss
saved:  .long 0
