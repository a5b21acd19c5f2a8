; What depends on the country, which is the United States with code page 437: the information of AH = 38h and 65h, the tables of AH = 65h, what
; is an answer for yes, and the routine that makes upper case.
;! dosbox its tables are those of its keyboard's country
;! output
;! 38 0001 0001
;! 000024000000002C002E002D003A0000020010EF00F02C000000000000000000
;! 0000
;! 65 information 0029
;! 0126000100B501
;! 65 upper case 0002 0005
;! 809A45418E418F804545454949498E8F9092924F994F555559999A9B9C9D9E9F
;! 41494F55A5A5A6A7A8A9AAABACADAEAFB0B1B2B3B4B5B6B7B8B9BABBBCBDBEBF
;! C0C1C2C3C4C5C6C7C8C9CACBCCCDCECFD0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF
;! E0E1E2E3E4E5E6E7E8E9EAEBECEDEEEFF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF
;! 65 upper case of files 0004 0005
;! 809A45418E418F804545454949498E8F9092924F994F555559999A9B9C9D9E9F
;! 41494F55A5A5A6A7A8A9AAABACADAEAFB0B1B2B3B4B5B6B7B8B9BABBBCBDBEBF
;! C0C1C2C3C4C5C6C7C8C9CACBCCCDCECFD0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF
;! E0E1E2E3E4E5E6E7E8E9EAEBECEDEEEFF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF
;! 65 characters of files 0005 0005
;! 0100FF000020020E2E222F5C5B5D3A7C3C3E2B3D3B2C
;! 65 order 0006 0005
;! 000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F
;! 202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F
;! 404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F
;! 604142434445464748494A4B4C4D4E4F505152535455565758595A7B7C7D7E7F
;! 435545414141414345454549494941414541414F4F4F5555594F559B9C9D9E9F
;! 41494F554E4EA6A7A8A9AAABACADAEAFB0B1B2B3B4B5B6B7B8B9BABBBCBDBEBF
;! C0C1C2C3C4C5C6C7C8C9CACBCCCDCECFD0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF
;! E053E2E3E4E5E6E7E8E9EAEBECEDEEEFF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF
;! 65 lead bytes 0007 0005
;! 65 too short 0001 C
;! 65 no such 0001 C
;! 65 y 0001
;! 65 N 0000
;! 65 x 0002
;! upper case of 81 009A
;! of a 0061
;! 63 set 0000
;! 63 get 0000
;! 63 no such 0001 C
;! 63 0000
org 100h
%include "dos.inc"
%include "report.inc"
%macro table 2                  ; text, AL
        mov cx, 5
        mov di, area
        mov ax, 6500h | %2
        mov bx, -1
        mov dx, -1
        int 21h
        mov al, [area]
        mov ah, 0
        report %1, ax, cx
        call contents
%endmacro
        mov dx, area
        mov ax, 3800h
        int 21h
        report "38", ax, bx
        mov si, area
        mov cx, 34
        call bytes
        mov cx, 41
        mov di, area
        mov ax, 6501h
        mov bx, -1
        mov dx, -1
        int 21h
        report "65 information", cx
        mov si, area
        mov cx, 7
        call bytes
        table "65 upper case", 2
        table "65 upper case of files", 4
        table "65 characters of files", 5
        table "65 order", 6
        table "65 lead bytes", 7
        mov cx, 4
        mov ax, 6502h
        int 21h
        report "65 too short", ax
        mov cx, 5
        mov ax, 6503h
        int 21h
        report "65 no such", ax
        mov ax, 6523h
        mov dx, 'y'
        int 21h
        report "65 y", ax
        mov ax, 6523h
        mov dx, 'N'
        int 21h
        report "65 N", ax
        mov ax, 6523h
        mov dx, 'x'
        int 21h
        report "65 x", ax
        mov bp, area
        mov dx, area
        mov ax, 3800h
        int 21h
        mov al, 81h
        call far [bp + 12h]
        mov ah, 0
        report "upper case of 81", ax
        mov al, 'a'
        call far [bp + 12h]
        mov ah, 0
        report "of a", ax
        mov ax, 6301h
        int 21h
        and ax, 0ffh
        report "63 set", ax
        mov ax, 6302h
        mov dl, 9
        int 21h
        mov dh, 0
        report "63 get", dx
        mov ax, 6303h
        int 21h
        report "63 no such", ax
        push ds
        mov ax, 6300h
        int 21h
        mov bx, [si]
        pop ds
        report "63", bx
        finish
contents: push ds               ; the table that [area + 1] points to
        lds si, [area + 1]
        lodsw
        mov cx, ax
        jcxz .none
        call bytes
.none:  pop ds
        ret
bytes:  mov bl, 0               ; CX bytes, 32 in a line
.next:  lodsb
        call hex2
        inc bl
        test bl, 31
        jnz .on
        call crlf
.on:    loop .next
        test bl, 31
        jz .end
        call crlf
.end:   ret
        hexadecimal
        reports
area:
