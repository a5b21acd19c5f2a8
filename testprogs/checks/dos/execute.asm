; AH = 4Bh: what a child finds in its prefix and registers, its environment, how it may end, overlays, and a program that a debugger starts.
;! output
;! child 0000 0000 0000 FFFE
;! tail, names 0001 0D31 4946 4553
;! prefix 20CD 21CD 0014
;! behind the variables 0001
;! C:\EXECUTE.COM
;! 4D 002A
;! child 0000 0000 0000 FFFE
;! tail, names 0001 0D32 4946 4553
;! prefix 20CD 21CD 0014
;! behind the variables 0001
;! C:\EXECUTE.COM
;! 4D 0000
;! child 0000 0000 0000 FFFE
;! tail, names 0001 0D33 4946 4553
;! prefix 20CD 21CD 0014
;! behind the variables 0001
;! C:\EXECUTE.COM
;! 4D 0305
;! child 0000 0000 0000 FFFE
;! tail, names 0001 0D34 4946 4553
;! prefix 20CD 21CD 0014
;! behind the variables 0001
;! C:\EXECUTE.COM
;! 4D 0000
;! stack kept 0000 0000
;! child 0000 0000 0000 FFFE
;! tail, names 0001 0D35 4946 4553
;! prefix 20CD 21CD 0014
;! behind the variables 0001
;! C:\EXECUTE.COM
;! X1
;! 4B01 CS:IP, SS 0000 0100 0000
;! 4B01 parent, code 0000 0000
;! 4B01 SP, the AL there FFFC 00FF
;! 4C of it 0007
;! 62 again 0000
;! 4B03 0000
;! 4B none 0002 C
org 100h
%include "dos.inc"
%include "report.inc"
        cmp byte [80h], 0
        jne child
        shrink
        mov ax, cs
        mov [block + 4], ax
        mov [block + 8], ax
        mov [block + 12], ax
        mov cx, 4               ; its file handles
.how:   push cx
        mov al, [tail + 1]
        inc al
        mov [tail + 1], al
        mov dx, name
        mov bx, block
        mov ax, 4b00h
        int 21h
        mov ah, 4dh
        int 21h
        report "4D", ax
        pop cx
        loop .how
        mov ax, cs
        mov cx, ss
        sub ax, cx
        mov cx, sp
        sub cx, stack
        report "stack kept", ax, cx
        push cs                 ; an environment of its own
        pop es
        mov ax, variables
        shr ax, 4
        mov cx, cs
        add ax, cx
        mov [block], ax
        mov byte [tail + 1], '5'
        mov dx, name
        mov bx, block
        mov ax, 4b00h
        int 21h
        mov word [block], 0
        ; loaded, not started
        push cs
        pop es
        mov byte [first], 20    ; T:, which is not there
        mov dx, name
        mov bx, block
        mov ax, 4b01h
        int 21h
        mov ah, 62h
        int 21h
        mov ax, [block + 14h]   ; CS and SS are its prefix
        sub ax, bx
        mov cx, [block + 10h]
        sub cx, bx
        mov dx, [block + 12h]
        report "4B01 CS:IP, SS", ax, dx, cx
        mov es, bx
        mov ax, [es:16h]        ; its parent
        mov cx, cs
        sub ax, cx
        mov si, [es:100h]
        mov dx, [100h]
        sub si, dx
        report "4B01 parent, code", ax, si
        mov si, [block + 0eh]
        mov ax, [es:si]
        and ax, 0ffh            ; DOSBox has another AH
        report "4B01 SP, the AL there", si, ax
        mov word [es:0ah], .back        ; it ends to here
        mov [es:0ch], cs
        mov [keep], sp
        mov ax, 4c07h
        int 21h
.back:  mov ax, cs
        mov ds, ax
        mov ss, ax
        mov sp, [keep]
        mov ah, 4dh
        int 21h
        report "4C of it", ax
        mov ah, 62h
        int 21h
        mov ax, cs
        sub ax, bx
        report "62 again", ax
        mov bx, 20h             ; an overlay: the first bytes of this program
        mov ah, 48h
        int 21h
        mov ax, cs
        add ax, 1000h
        mov [overlay], ax
        mov [overlay + 2], ax
        push cs
        pop es
        mov dx, name
        mov bx, overlay
        mov ax, 4b03h
        int 21h
        mov es, [overlay]
        mov ax, [es:0]
        sub ax, [100h]
        report "4B03", ax
        push cs
        pop es
        mov dx, nothing
        mov bx, block
        mov ax, 4b00h
        int 21h
        report "4B none", ax
        finish
child:  mov bp, ax              ; what it finds
        mov cx, sp
        mov ax, cs
        mov di, ds
        sub di, ax
        mov si, es
        sub si, ax
        report "child", bp, di, si, cx
        mov al, [80h]
        mov ah, 0
        mov bx, [81h]
        mov cx, [5dh]
        mov dx, [6dh]
        report "tail, names", ax, bx, cx, dx
        mov ax, [0]
        mov bx, [50h]
        mov cx, [52h]
        mov dx, [32h]
        report "prefix", ax, bx, dx
        mov es, [2ch]           ; its environment: after two zeros a 1 and its name
        xor di, di
        xor al, al
        mov cx, 8000h
.end:   repne scasb
        scasb
        jne .end
        mov ax, [es:di]
        report "behind the variables", ax
        add di, 2
.name:  mov dl, [es:di]
        inc di
        or dl, dl
        jz .named
        mov ah, 2
        int 21h
        jmp .name
.named: call crlf
        cmp byte [81h], '2'
        je .twenty
        cmp byte [81h], '3'
        je .stays
        cmp byte [81h], '4'
        je .breaks
        cmp byte [81h], '5'
        je .variable
        mov ax, 4c2ah
        int 21h
.twenty: int 20h
.stays: mov dx, 20h
        mov ax, 3105h
        int 21h
.variable: mov dl, [es:0]       ; X=1
        mov ah, 2
        int 21h
        mov dl, [es:2]
        int 21h
        call crlf
        mov ax, 4c00h
        int 21h
.breaks: mov ah, 0              ; AH = 0 ends as well
        int 21h
name:   db 'EXECUTE.COM', 0
nothing: db 'NOTHING.COM', 0
tail:   db 1, '0', 13
        times 8 db 0
keep:   dw 0
overlay: dw 0, 0
first:  db 0, 'FIRST      '
        times 4 db 0
second: db 0, 'SECOND     '
        times 4 db 0
block:  dw 0, tail, 0, first, 0, second, 0, 0, 0, 0, 0
        align 16
variables: db 'X=1', 0, 0, 0
        times 16 db 0
        hexadecimal
        reports
        times 512 db 0
stack:
