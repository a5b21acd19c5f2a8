; The attribute R, as Ralf Brown's Interrupt List has it: AH = 43h sets and clears it, 4Eh shows it; a file that has it can be read and renamed; to write it, to
; create it anew and to delete it fails with error 5.
;! dosbox it has other attributes
;! output
;! new 0020
;! set
;! has it 0021
;! found 0021
;! read
;! write 0005 C
;! both 0005 C
;! create 0005 C
;! create new 0050 C
;! delete 0005 C
;! by FCB 00FF
;! rename
;! clear
;! has it no more 0020
;! hidden 0005 C
;! write
;! delete
;! folder 0005 C
org 100h
%include "dos.inc"
%include "report.inc"
%macro file 3-4 0               ; text, AX, name, CX
        mov ax, %2
        mov dx, %3
        mov cx, %4
        int 21h
        call result
        report_result %1
%endmacro
%macro report_result 1
        jc %%failed
        report %1
        jmp %%on
%%failed: report %1, ax
%%on:
%endmacro
%macro attributes 1
        mov ax, 4300h
        mov dx, one
        int 21h
        report %1, cx
%endmacro
        mov ah, 3ch
        mov dx, one
        mov cx, 0
        int 21h
        call result
        attributes "new"
        file "set", 4301h, one, 21h
        attributes "has it"
        mov ah, 4eh
        mov dx, one
        mov cx, 0
        int 21h
        mov al, [80h + 15h]
        mov ah, 0
        report "found", ax
        file "read", 3d00h, one
        file "write", 3d01h, one
        file "both", 3d02h, one
        file "create", 3c00h, one
        file "create new", 5b00h, one
        file "delete", 4100h, one
        mov dx, block
        mov ah, 13h
        int 21h
        clc                     ; which this function leaves as it was
        mov ah, 0
        report "by FCB", ax
        push cs
        pop es
        mov di, two
        file "rename", 5600h, one
        mov di, one
        mov dx, two
        mov ah, 56h
        int 21h
        file "clear", 4301h, one, 0
        attributes "has it no more"
        file "hidden", 4301h, one, 2
        file "write", 3d01h, one
        file "delete", 4100h, one
        mov ah, 39h
        mov dx, folder
        int 21h
        file "folder", 4301h, folder, 11h
        mov dx, folder
        mov ah, 3ah
        int 21h
        finish
; Closes the handle of a call that has opened a file, and keeps AX and carry.
result: pushf
        push ax
        jc .kept
        cmp ax, 5
        jb .kept
        cmp ax, 20
        ja .kept
        mov bx, ax
        mov ah, 3eh
        int 21h
.kept:  pop ax
        popf
        ret
one:    db 'ONE.TXT', 0
two:    db 'TWO.TXT', 0
folder: db 'FOLDER', 0
block:  db 0, 'ONE     TXT'
        times 25 db 0
        hexadecimal
        reports
