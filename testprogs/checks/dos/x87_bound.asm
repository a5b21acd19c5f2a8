; x87 operands that cross the end of their segment raise interrupt 13, whatever their size; those that end with it do not.
;! dosbox it does not check segment limits
;! output
;! 0505
org 100h
%include "dos.inc"
%macro crosses 1+               ; counts the instruction if it faults
        mov word [after], %%after
        %1
        jmp %%none
%%after:
        inc byte [faults]
%%none:
%endmacro
        push 0
        pop es
        mov ax, [es:13*4]
        mov dx, [es:13*4+2]
        mov word [es:13*4], handler
        mov [es:13*4+2], cs
        mov bx, ds              ; FS: the 64 KB after this program
        add bx, 1000h
        mov fs, bx
        finit
        fldz
        crosses fild dword [fs:0fffdh]
        crosses fadd qword [fs:0fff9h]
        crosses fst dword [fs:0fffeh]
        crosses fistp word [fs:0ffffh]
        crosses fstp qword [fs:0fffch]
        mov ch, [faults]
        fst dword [fs:0fffch]
        fst qword [fs:0fff8h]
        fist word [fs:0fffeh]
        fild word [fs:0fffeh]
        faddp
        fadd dword [fs:0fffch]
        mov cl, [faults]
        mov [es:13*4], ax
        mov [es:13*4+2], dx
        mov ax, cx
        call hex4
        call crlf
        finish
handler:
        push bp
        mov bp, sp
        push ax
        mov ax, [cs:after]
        mov [bp+2], ax
        pop ax
        pop bp
        iret
after:  dw 0
faults: db 0
        hexadecimal
