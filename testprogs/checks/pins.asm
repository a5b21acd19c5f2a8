; NMI and machine check, which the host raises (pins.c): an NMI is held until the IRET of the one before; without CR4.MCE a failed bus
; cycle is latched in MCA and MCT and nothing else, the first one stays, and reading MCT frees them; with CR4.MCE it is #MC, vector 18.
; Lines on port E9h tell the host how far the guest is.
%include "system.inc"
gate_entry equ 0
MCA equ 0
MCT equ 1
CHK equ 1
MEMORY_READ equ 0ch             ; of data
IO_WRITE equ 6
CR4_MCE equ 1 << 6

start:  call boot
        vector NMI, nmi, 08eh
        mov al, '1'             ; the host: an NMI, two failed cycles
        call say
.wait:  cmp dword [nmis], 2
        jb .wait
        begin_case
        end_case NONE, 0, 0
        is dword [nested], 0
        mov ecx, MCA
        rdmsr
        is eax, 123456e0h
        mov ecx, MCT
        rdmsr
        is eax, MEMORY_READ | CHK
        mov ecx, MCT
        rdmsr
        is eax, MEMORY_READ
        mov eax, CR4_MCE
        mov cr4, eax
        begin_case
        mov al, '2'
        out 0e9h, al
        mov al, 10
        out 0e9h, al            ; the host: a failed cycle; #MC is delivered after the OUT
.mc:    nop
        end_case MC, 0, .mc
        mov ecx, MCA
        rdmsr
        is eax, 80h
        mov ecx, MCT
        rdmsr
        is eax, IO_WRITE | CHK
        finish

say:    out 0e9h, al
        mov al, 10
        out 0e9h, al
        ret

nmi:    push eax
        inc dword [depth]
        cmp dword [depth], 1
        je .alone
        inc dword [nested]
.alone: mov al, 'n'             ; the host: at the first time, another NMI
        call say
        mov eax, 200
.work:  dec eax
        jnz .work
        dec dword [depth]
        inc dword [nmis]
        pop eax
        iretd
        align 4
nmis:   dd 0
depth:  dd 0
nested: dd 0
