; execute.com: runs HELLO.COM of its own directory with arguments, and ends with that program's status plus 40.
bits 16
org 100h
%include "dos.inc"
%include "check.inc"
        mov sp, stack_top
        mov bx, (stack_top - $$ + 100h + 15) / 16
        int21 4ah
        expect jnc
        mov [parameters + 4], cs
        mov [parameters + 8], cs
        mov [parameters + 12], cs
        mov bp, 1234h
        mov dx, program
        mov bx, parameters
        mov ax, 4b00h
        int 21h
        expect jnc
        cmp bp, 1234h
        expect je
        cmp sp, stack_top
        expect je
        int21 4dh
        cmp ax, 3
        expect je
        mov dx, nothing
        mov bx, parameters
        mov ax, 4b00h
        int 21h
        expect jc
        cmp ax, 2
        expect je
        print "back again", 13, 10
        finish 43
program: db 'hello.com', 0
nothing: db 'nothing.exe', 0
parameters:
        dw 0, tail, 0, 5ch, 0, 6ch, 0
tail:   db 7, ' 1 2 3 ', 13
        routine_failed
        routine_print_decimal
        times 256 db 0
stack_top:
