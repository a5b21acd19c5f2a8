; A flat guest beside two hard disks and a diskette: prints the drives of the CMOS cells and the first letters of both disks, then writes to the second.
%include "bare.inc"
DATA equ 7000h
%macro wait_for 1               ; a bit of the status
%%again:
        mov dx, 1f7h
        in al, dx
        test al, 80h
        jnz %%again
        test al, %1
        jz %%again
%endmacro
%macro command 3                ; drive, sector, command
        mov dx, 1f6h
        mov al, 0e0h | (%1) << 4
        out dx, al
        mov dx, 1f2h
        mov al, 1
        out dx, al
        inc dx
        mov al, %2
        out dx, al
        inc dx
        mov al, 0
        out dx, al
        inc dx
        out dx, al
        mov dx, 1f7h
        mov al, %3
        out dx, al
        wait_for 8
        mov dx, 1f0h
        mov ecx, 256
%endmacro
%macro say_cell 1
        mov al, %1
        out 70h, al
        in al, 71h
        shr al, 4
        add al, '0'
        out 0e9h, al
        in al, 71h
        and al, 15
        add al, '0'
        out 0e9h, al
%endmacro
start:  mov esp, 6000h
        cld
        mov dx, 3f6h
        mov al, 2               ; no interrupts
        out dx, al
        say_cell 10h
        command 0, 0, 20h
        mov edi, DATA
        rep insw
        mov al, [DATA]
        out 0e9h, al
        command 1, 0, 20h
        mov edi, DATA
        rep insw
        mov al, [DATA]
        out 0e9h, al
        mov dword [DATA], 'LATE'
        command 1, 1, 30h
        mov esi, DATA
        rep outsw
        wait_for 40h
        finish 0
