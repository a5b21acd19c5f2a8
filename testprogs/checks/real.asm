; Real mode: exceptions through the interrupt vector table, limits of 64 KB, limits that stay from protected mode, the limit of the
; table itself. Exceptions push no error codes here.
%include "system.inc"
gate_entry equ 0

%assign real_number 100h
%macro begin_real 0
  %push case
  %assign real_number real_number + 1
        mov word [cs:case_now], real_number
        mov word [cs:resume], %$end
        mov [cs:saved_esp], sp
        mov byte [cs:seen.vector], NONE
%endmacro
%macro end_real 2               ; vector, IP
%$end:  mov bx, 0
        mov ds, bx
        mov ss, bx
        mov sp, [saved_esp]
        mov ax, %1
        mov cx, %2
        call compare_real
  %pop
%endmacro

start:  call boot
        mov edi, 0              ; vector table: 16-bit stubs
        mov eax, real_stubs
        mov ecx, 32
.set:   mov [edi], ax
        mov word [edi + 2], 0
        add eax, 5
        add edi, 4
        loop .set
        lidt [real_table]
        jmp CODE16:.to16
        bits 16
.to16:  mov ax, DATA16
        mov ds, ax
        mov es, ax
        mov fs, ax
        mov gs, ax
        mov ss, ax
        mov eax, cr0
        and al, ~1
        mov cr0, eax
        jmp 0:.real
.real:  xor ax, ax
        mov ds, ax
        mov es, ax
        mov ss, ax
        mov sp, 7000h
        begin_real
        xor cx, cx
        xor dx, dx
.r1:    div cx
        end_real VDE, .r1
        begin_real
        int3
.r2:    end_real VBP, .r2
        begin_real
.r3:    ud2
        end_real UD, .r3
        begin_real
        mov bx, 0ffffh
        mov al, [bx]
.r4:    mov ax, [bx]
        end_real GP, .r4
        begin_real
        mov ebx, 10000h
.r5:    mov [ebx], al
        end_real GP, .r5
        begin_real
        mov bp, 0fffdh
        mov ax, [bp]
.r6:    mov eax, [bp]
        end_real SS_FAULT, .r6
        begin_real                              ; a base moves the limit along
        mov ax, 1000h
        mov es, ax
        mov al, [es:0ffffh]
.r7:    mov ax, [es:0ffffh]
        end_real GP, .r7
        begin_real                              ; SP wraps
        xor sp, sp
        push ax
        mov bx, sp
        mov sp, [saved_esp]
        mov [after], bx
        end_real NONE, 0
        mov ax, [after]
        cmp ax, 0fffeh
        jne fail_real
        begin_real                              ; no such instruction in real mode
.r8:    str ax
        end_real UD, .r8
        begin_real                              ; after the table's end: #GP
        lidt [short_table]
.r9:    int 30h
        end_real GP, .r9
        lidt [real_table]
        begin_real                              ; code stores through CS
        mov [cs:after], ax
        end_real NONE, 0
        begin_real                              ; TF
        pushf
        or word [ss:7000h - 2], 100h
        popf
        nop
.r10:   nop
        end_real VDB, .r10
        begin_real                              ; INT n pushes three words and clears IF and TF
        mov word [40h * 4], int40
        mov word [40h * 4 + 2], 0
        int 40h
.r11:   end_real NONE, 0
        mov ax, [after]
        cmp ax, .r11
        jne fail_real
        begin_real                              ; far returns, ENTER
        call sixteen
        mov [cs:after], bx
        end_real NONE, 0
        cmp word [after], 0
        jne fail_real
        ; ---- limits of protected mode stay: data beyond 64 KB
        cli
        lgdt [gdt_register]
        mov eax, cr0
        or al, 1
        mov cr0, eax
        jmp .flush
.flush: mov bx, DATA0
        mov fs, bx
        and al, ~1
        mov cr0, eax
        xor bx, bx
        mov fs, bx
        begin_real
        mov ebx, 123456h
        mov dword [fs:ebx], 5aa5f00fh
        mov eax, [fs:ebx]
        mov [after], eax
        end_real NONE, 0
        mov eax, [after]
        cmp eax, 5aa5f00fh
        jne fail_real
        mov al, 'o'
        out 0e9h, al
        mov al, 'k'
        out 0e9h, al
        mov al, 10
        out 0e9h, al
        xor ax, ax
        out 0f4h, al
        hlt

%include "sixteen.inc"
int40:  mov bp, sp
        mov ax, [bp]
        mov [cs:after], ax
        iret

compare_real:                   ; AX vector, CX IP
        cmp al, [seen.vector]
        jne fail_real
        cmp al, NONE
        je .same
        cmp cx, [seen.eip]
        jne fail_real
.same:  ret
fail_real:
        mov ax, 0
        mov ds, ax
        mov si, case_now + 1
        mov cx, 2
        mov al, [case_now + 1]
        call .byte
        mov al, [case_now]
        call .byte
        mov al, ' '
        out 0e9h, al
        mov al, [seen.vector]
        call .byte
        mov al, ' '
        out 0e9h, al
        mov al, [seen.eip + 1]
        call .byte
        mov al, [seen.eip]
        call .byte
        mov al, 10
        out 0e9h, al
        mov al, 1
        out 0f4h, al
        hlt
.byte:  mov ah, al
        shr al, 4
        call .digit
        mov al, ah
        and al, 15
.digit: add al, '0'
        cmp al, '9'
        jbe .out
        add al, 'a' - '9' - 1
.out:   out 0e9h, al
        ret

real_stubs:
%assign v 0
%rep 32
        push byte v
        jmp near real_caught
  %assign v v + 1
%endrep
real_caught:                    ; vector, IP, CS, FLAGS
        pop word [cs:seen.vector]
        pop word [cs:seen.eip]
        jmp [cs:resume]
        bits 32
        align 4
after:  dd 0
real_table: dw 3ffh
        dd 0
short_table: dw 30h * 4 - 1
        dd 0
