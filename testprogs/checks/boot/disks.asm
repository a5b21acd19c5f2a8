; Boots from a diskette beside an IDE disk, drives both controllers by their ports, and prints what it finds on port E9h.
; QEMU's PC prints the same, except lines that begin with *: there the data sheets decide, and QEMU takes a short cut.
org 7c00h
bits 16
start:
    xor ax, ax
    mov ds, ax
    mov es, ax
    mov ss, ax
    mov sp, 7c00h
    sti
    mov ax, 0200h + LOADED
    mov bx, 7e00h
    mov cx, 2
    xor dx, dx
    int 13h
    jc $
    jmp rest
putc:
    out 0e9h, al
    ret
hex1:
    and al, 15
    cmp al, 10
    sbb al, 69h
    das
    jmp putc
hex2:
    push ax
    shr al, 4
    call hex1
    pop ax
    jmp hex1
hex4:
    push ax
    mov al, ah
    call hex2
    pop ax
    jmp hex2
blank:
    mov al, ' '
    jmp putc
line:
    mov al, 10
    jmp putc
%macro say 1
    jmp %%over
%%text: db %1, 0
%%over:
    mov si, %%text
    call text
%endmacro
text:
    lodsb
    test al, al
    jz .done
    call putc
    jmp text
.done:
    ret
times 510-($-$$) db 0
dw 0aa55h

LOADED equ 6
SEEN equ 500h          ; interrupts that have come: 14, 6
BUFFER equ 9000h
%macro outb 2
    mov dx, %1
    mov al, %2
    out dx, al
%endmacro

ide_irq:
    push ax
    inc byte [SEEN]
    mov al, 20h
    out 0a0h, al
    out 20h, al
    pop ax
    iret
floppy_irq:
    push ax
    inc byte [SEEN+1]
    mov al, 20h
    out 20h, al
    pop ax
    iret

; IDE: waits until the drive is not busy, AL = status
ide_wait:
    mov dx, 1f7h
.again:
    in al, dx
    test al, 80h
    jnz .again
    ret
; waits for an interrupt at [DI]
wait_irq:
    cmp byte [di], 0
    je wait_irq
    mov byte [di], 0
    ret
; sends the command AL and waits for its interrupt, prints status and error
ide_command:
    mov dx, 1f7h
    out dx, al
    mov di, SEEN
    call wait_irq
ide_state:
    call ide_wait
    call hex2
    mov dx, 1f1h
    in al, dx
    call hex2
    jmp blank
; count, sector, cylinders, select, on a line of their own
ide_registers:
    call line
    say "* registers "
    mov dx, 1f2h
    mov cx, 5
.next:
    in al, dx
    call hex2
    inc dx
    loop .next
    jmp line
; AH count, AL sector, BX cylinder, CL select
ide_address:
    mov dx, 1f6h
    xchg al, cl
    out dx, al
    xchg al, cl
    mov dx, 1f3h
    out dx, al
    dec dx
    mov al, ah
    out dx, al
    mov dx, 1f4h
    mov al, bl
    out dx, al
    inc dx
    mov al, bh
    out dx, al
    ret
ide_read:                       ; a sector to BUFFER, and prints its first and last word
    mov dx, 1f0h
    mov di, BUFFER
    mov cx, 256
    cld
    rep insw
ends:
    mov ax, [BUFFER]
    call hex4
    mov ax, [BUFFER+510]
    call hex4
    jmp blank
ide_write:                      ; a sector of words AX
    mov cx, 256
    mov dx, 1f0h
.next:
    out dx, ax
    loop .next
    ret

; the controller wants a byte: AL
floppy_put:
    push ax
    mov dx, 3f4h
.again:
    in al, dx
    and al, 0c0h
    cmp al, 80h
    jne .again
    inc dx
    pop ax
    out dx, al
    ret
; CX bytes of a result, printed
floppy_get:
    mov dx, 3f4h
.again:
    in al, dx
    and al, 0c0h
    cmp al, 0c0h
    jne .again
    inc dx
    in al, dx
    call hex2
    loop floppy_get
    jmp blank
; the bytes at SI up to FFh
floppy_send:
    lodsb
    cmp al, 0ffh
    je .done
    call floppy_put
    jmp floppy_send
.done:
    ret
floppy_irq_wait:
    mov di, SEEN+1
    jmp wait_irq
sense:
    mov al, 8
    call floppy_put
    mov cx, 2
    jmp floppy_get
%macro floppy 1+
    jmp %%over
%%bytes: db %1, 0ffh
%%over:
    mov si, %%bytes
    call floppy_send
%endmacro
; DMA channel 2: mode AL, CX bytes less one at BUFFER
dma:
    push ax
    mov al, 6
    out 0ah, al
    out 0ch, al
    pop ax
    out 0bh, al
    mov ax, BUFFER
    out 4, al
    mov al, ah
    out 4, al
    mov al, cl
    out 5, al
    mov al, ch
    out 5, al
    mov al, 0
    out 81h, al
    mov al, 2
    out 0ah, al
    ret

rest:
    cli
    mov word [0eh*4], floppy_irq
    mov word [0eh*4+2], 0
    mov word [76h*4], ide_irq
    mov word [76h*4+2], 0
    in al, 21h
    and al, 0bbh
    out 21h, al
    in al, 0a1h
    and al, 0bfh
    out 0a1h, al
    mov word [SEEN], 0
    sti

    say "cells "
    mov al, 10h
    out 70h, al
    in al, 71h
    call hex2
    mov al, 12h
    out 70h, al
    in al, 71h
    call hex2
    call line

    say "* reset "
    outb 3f6h, 4
    outb 3f6h, 0
    mov ah, 86h                 ; 20 ms: QEMU resets its drive some time later
    xor cx, cx
    mov dx, 20000
    int 15h
    call ide_state
    call ide_registers
    mov al, 0b0h
    mov dx, 1f6h
    out dx, al
    mov dx, 1f7h
    in al, dx
    call hex2
    mov al, 0a0h
    mov dx, 1f6h
    out dx, al
    call line

    say "identify "
    mov al, 0ech
    call ide_command
    mov dx, 1f0h
    mov di, BUFFER
    mov cx, 256
    rep insw
    mov ax, [BUFFER+0]
    and ax, 8040h
    call hex4
    mov ax, [BUFFER+2]
    call hex4
    mov ax, [BUFFER+6]
    call hex4
    mov ax, [BUFFER+12]
    call hex4
    mov ax, [BUFFER+98]
    and ax, 0200h
    call hex4
    mov ax, [BUFFER+122]
    call hex4
    mov ax, [BUFFER+120]
    call hex4
    call ide_wait
    call hex2
    call line

    say "read "
    mov ax, 0105h               ; one sector by LBA 5
    xor bx, bx
    mov cl, 0e0h
    call ide_address
    mov al, 20h
    call ide_command
    call ide_read
    call ide_wait
    call hex2
    call blank
    call ide_registers
    mov ax, 0203h               ; two by cylinder 1, head 2, sector 3
    mov bx, 1
    mov cl, 0a2h
    call ide_address
    mov al, 20h
    call ide_command
    call ide_read
    mov di, SEEN
    call wait_irq
    call ide_wait
    call hex2
    call blank
    call ide_read
    call ide_wait
    call hex2
    call blank
    call ide_registers
    call line

    say "write "
    mov ax, 0207h
    xor bx, bx
    mov cl, 0e0h
    call ide_address
    mov dx, 1f7h
    mov al, 30h
    out dx, al
    call ide_wait
    call hex2
    call blank
    mov ax, 1234h
    call ide_write
    mov di, SEEN
    call wait_irq
    call ide_state
    mov ax, 5678h
    call ide_write
    mov di, SEEN
    call wait_irq
    call ide_state
    call ide_registers
    mov ax, 0208h
    call ide_address
    mov al, 20h
    call ide_command
    call ide_read
    mov di, SEEN
    call wait_irq
    call ide_read
    call line

    say "multiple "
    mov ax, 0400h
    mov cl, 0e0h
    call ide_address
    mov al, 0c6h
    call ide_command
    mov ax, 0602h
    mov cl, 0e0h
    call ide_address
    mov al, 0c4h
    call ide_command
    call ide_read
    call ide_read
    call ide_read
    call ide_read
    mov di, SEEN
    call wait_irq
    call ide_read
    call ide_read
    call ide_wait
    call hex2
    call line

    say "* errors "
    mov ax, 0100h
    mov bx, 0ffffh
    mov cl, 0efh
    call ide_address
    mov al, 0f0h
    call ide_command
    mov al, 0a1h
    call ide_command
    call line

    say "other "
    mov al, 0e5h
    call ide_command
    mov al, 10h
    call ide_command
    mov dx, 1f2h
    mov al, 3fh
    out dx, al
    mov dx, 1f6h
    mov al, 0afh
    out dx, al
    mov al, 91h
    call ide_command
    mov dx, 1f6h
    mov al, 0a0h
    out dx, al
    call line

    say "floppy reset "
    outb 3f2h, 0
    outb 3f2h, 1ch
    call floppy_irq_wait
    call sense
    call sense
    call sense
    call sense
    call line
    outb 3f7h, 0
    say "version "
    floppy 10h
    mov cx, 1
    call floppy_get
    floppy 3, 0dfh, 2
    say "recalibrate "
    floppy 7, 0
    call floppy_irq_wait
    call sense
    say "seek "
    floppy 0fh, 0, 2
    call floppy_irq_wait
    call sense
    mov dx, 3f7h
    in al, dx
    and al, 80h
    call hex2
    call line
    say "* id "
    floppy 4ah, 0
    call floppy_irq_wait
    mov cx, 7
    call floppy_get
    call line
    say "data "
    mov al, 46h
    mov cx, 1023
    call dma
    floppy 0e6h, 0, 2, 0, 17, 2, 18, 1bh, 0ffh ^ 0ffh
    call floppy_irq_wait
    mov cx, 7
    call floppy_get
    call ends
    mov ax, [BUFFER+512]
    call hex4
    in al, 8
    and al, 4
    call hex2
    call line
    say "* end of track "
    mov al, 46h
    mov cx, 2047
    call dma
    floppy 46h, 0, 2, 0, 17, 2, 18, 1bh, 0
    call floppy_irq_wait
    mov cx, 7
    call floppy_get
    call line
    say "* write "
    mov word [BUFFER], 4711h
    mov word [BUFFER+510], 1147h
    mov al, 4ah
    mov cx, 511
    call dma
    floppy 45h, 4, 2, 1, 3, 2, 18, 1bh, 0
    call floppy_irq_wait
    mov cx, 7
    call floppy_get
    mov word [BUFFER], 0
    mov word [BUFFER+510], 0
    mov al, 46h
    mov cx, 511
    call dma
    floppy 46h, 4, 2, 1, 3, 2, 18, 1bh, 0
    call floppy_irq_wait
    mov cx, 7
    call floppy_get
    call line
    say "read back "
    call ends
    call line
    say "invalid "
    floppy 1fh
    mov cx, 1
    call floppy_get
    call line
    cli
    mov al, 0
    out 0f4h, al
    hlt
times (LOADED+1)*512-($-$$) db 0
