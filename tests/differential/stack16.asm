; Stack operations whose stack has 16 bits while the operands have 32 or 16: as a Linux program (-DLINUX), for
; the host's processor, and as a bare-metal guest (port E9h prints, F5h ends). Each line has the operation,
; ESP, EBP, EAX, and every dword of the stack that changed. Flags and CS, which the two have otherwise, are
; not shown. The test is about accesses around the end of the segment (SP 0, 2, 0FFFCh ...).
bits 32
%macro begin_op 3 ; name, ESP, EBP
 section .data
 %%name: db %1, 0
 section .text
        mov dword [name], %%name
        mov dword [at_esp], %2
        mov dword [at_ebp], %3
        call enter_stack
%endmacro
%macro end_op 0
        mov [left_esp], esp
        mov [left_ebp], ebp
        mov [left_eax], eax
        mov ss, [own_ss]
        mov esp, [own_esp]
        call show
%endmacro
%macro op 4+ ; the same around one instruction
        begin_op %1, %2, %3
        %4
        end_op
%endmacro

section .text
global _start
_start:
%ifdef LINUX
        mov eax, 123 ; modify_ldt
        mov ebx, 1
        mov ecx, descriptor
        mov edx, 16
        int 80h
        test eax, eax
        mov bl, 77 ; there are no such segments here
        jnz exit
        mov word [small_ss], 7
%else
        lgdt [table]
        mov ax, 10h
        mov ds, ax
        mov es, ax
        mov ss, ax
        xor eax, eax
        mov fs, ax
        mov eax, area
        mov [gdt + 1ah], ax
        shr eax, 16
        mov [gdt + 1ch], al
        mov [gdt + 1fh], ah
        mov word [small_ss], 18h
        mov esp, own_stack
        jmp 8:begin
begin:
%endif
        mov [own_esp], esp
        mov [own_ss], ss
        cld
        mov edi, pattern
.byte:  mov eax, edi
        sub eax, pattern
        imul eax, eax, 37
        add al, 0a5h
        stosb
        cmp edi, pattern + 10000h
        jb .byte
%include "stack16.inc"
        mov bl, 0
exit:
%ifdef LINUX
        movzx ebx, bl
        mov eax, 1
        int 80h
%else
        mov al, 0
        out 0f5h, al
        hlt
%endif

; The stack gets a pattern, the registers known values; and the code continues after the call with the given SS:ESP.
enter_stack:
        pop dword [back]
        mov [own_esp], esp
        mov esi, pattern
        mov edi, area
        mov ecx, 4000h
        rep movsd
        mov ss, [small_ss]
        mov esp, [at_esp]
        mov ebp, [at_ebp]
        mov eax, 0e0e1e2e3h
        mov ecx, 0c0c1c2c3h
        mov edx, 0d0d1d2d3h
        mov ebx, 0b0b1b2b3h
        mov esi, 51515253h
        mov edi, 0d1d1d2d3h
        jmp [back]

show:   mov esi, [name]
.name:  lodsb
        test al, al
        jz .registers
        call put
        jmp .name
.registers:
        mov eax, [left_esp]
        call hex
        mov eax, [left_ebp]
        call hex
        mov eax, [left_eax]
        call hex
        mov esi, pattern
        mov edi, area
        mov ecx, 4000h
.next:  repe cmpsd
        je .end
        push ecx
        mov eax, edi
        sub eax, area + 4
        call hex
        mov eax, [edi - 4]
        mov edx, eax ; a return address is another one in each program
        sub edx, _start
        cmp edx, 10000h
        jae .value
        mov eax, 0c0deh
.value: call hex
        pop ecx
        jecxz .end
        jmp .next
.end:
        mov al, 10
        jmp put

hex:    push eax
        mov al, ' '
        call put
        pop eax
        mov ecx, 8
.digit: rol eax, 4
        mov edx, eax
        and al, 15
        cmp al, 10
        sbb al, 69h
        das
        call put
        mov eax, edx
        loop .digit
        ret

put:    pushad
%ifdef LINUX
        mov [letter], al
        mov eax, 4
        mov ebx, 1
        mov ecx, letter
        mov edx, 1
        int 80h
%else
        out 0e9h, al
%endif
        popad
        ret

near_return:   ret
near_return_8: ret 8
far_return:    retf
far_return_8:  retf 8

section .data
word_:      dd 87654321h
scratch:    dd 0
pointer:    dd near_return
descriptor: dd 0, area, 0ffffh, 0
align 8
gdt:        dq 0, 00cf9a000000ffffh, 00cf92000000ffffh, 000092000000ffffh
table:      dw 31
            dd gdt
section .bss
align 65536
area:     resb 10000h
pattern:  resb 10000h
          resb 4096
own_stack: resd 1
name:     resd 1
back:     resd 1
at_esp:   resd 1
at_ebp:   resd 1
left_esp: resd 1
left_ebp: resd 1
left_eax: resd 1
own_esp:  resd 1
own_ss:   resd 1
small_ss: resd 1
letter:   resd 1
far_pointer: resd 2
