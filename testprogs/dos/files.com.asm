; files.com: makes, writes, seeks, reads, renames, finds and deletes files and directories on C:, and checks each result.
bits 16
org 100h
%include "dos.inc"
%include "check.inc"
        mov dx, directory
        int21 39h
        expect jnc
        mov dx, directory
        int21 3bh
        expect jnc
        mov si, text
        xor dl, dl
        int21 47h
        expect jnc
        cmp dword [text], 'WORK'
        expect je
        xor cx, cx
        mov dx, name
        int21 3ch               ; create
        expect jnc
        mov [handle], ax
        mov bx, ax
        mov cx, 10
        mov dx, digits
        int21 40h
        expect jnc
        cmp ax, 10
        expect je
        mov ax, 4200h           ; to byte 4
        xor cx, cx
        mov dx, 4
        int 21h
        expect jnc
        mov cx, 3
        mov dx, text
        int21 3fh
        expect jnc
        cmp ax, 3
        expect je
        cmp word [text], '45'
        expect je
        mov ax, 4202h           ; its length
        xor cx, cx
        xor dx, dx
        int 21h
        cmp ax, 10
        expect je
        mov ax, 4200h           ; cut at byte 7
        xor cx, cx
        mov dx, 7
        int 21h
        xor cx, cx
        int21 40h
        expect jnc
        mov ax, 4400h
        int 21h
        expect jnc
        test dl, 80h            ; no device
        expect jz
        int21 45h               ; a second handle
        expect jnc
        mov bx, ax
        int21 3eh
        expect jnc
        mov bx, [handle]
        int21 3eh
        expect jnc
        int21 3eh               ; closed already
        expect jc
        cmp ax, 6
        expect je
        mov ax, 3d02h           ; by another case, with its directory
        mov dx, same
        int 21h
        expect jnc
        mov bx, ax
        mov cx, 100
        mov dx, text
        int21 3fh
        cmp ax, 7
        expect je
        int21 3eh
        mov dx, name
        mov di, other
        int21 56h               ; rename
        expect jnc
        mov ax, 3d00h
        mov dx, name
        int 21h
        expect jc
        cmp ax, 2
        expect je
        mov dx, area
        int21 1ah
        mov dx, pattern
        xor cx, cx
        int21 4eh
        expect jnc
        cmp dword [area + 1ah], 7
        expect je
        cmp dword [area + 1eh], 'OTHE'
        expect je
        int21 4fh
        expect jc
        cmp ax, 18
        expect je
        mov ax, 3d00h           ; above the share there is nothing
        mov dx, outside
        int 21h
        expect jc
        mov dx, other
        int21 41h
        expect jnc
        mov dx, up
        int21 3bh
        expect jnc
        mov dx, directory
        int21 3ah
        expect jnc
        print "files are in order", 13, 10
        finish 0
directory: db 'WORK', 0
name:   db 'A.TXT', 0
same:   db 'c:\work\a.txt', 0
other:  db 'other.dat', 0
pattern: db '*.D??', 0
outside: db 'C:\..\..\etc\passwd', 0
up:     db '..', 0
digits: db '0123456789'
handle: dw 0
        routine_failed
        routine_print_decimal
area:   times 43 db 0
text:   times 128 db 0
