; Bus cycles that fail: the board answers those of one kind (nasm -D CYCLE=...) at PLACE, or at port 80h, with BUSCHK# (--bus-check). Each is
; made happen, first without CR4.MCE: address and type are latched in MCA and MCT, the first stays until MCT is read; then with it: #MC
; after the instruction that made the cycle, and on after the handler. Hits in the caches make no cycle, and other cycles do not fail.
; -D SHUTDOWN: there is no handler, the processor shuts down.
%include "system.inc"
gate_entry equ 0
MCA equ 0
MCT equ 1
CHK equ 1                       ; MCT
W equ 2                         ; W/R#
D equ 4                         ; D/C#
M equ 8                         ; M/IO#
LOCKED equ 10h
CR4_MCE equ 1 << 6
PLACE equ 30010h                ; the model file's address is that of one of its 8 bytes: PLACE + 4
PORT equ 80h
%define read 1
%define write 2
%define code 3
%define in 4
%define out 5
%assign KIND CYCLE
%undef read
%undef write
%undef code
%undef in
%undef out

; latched TYPE, ADDRESS: MCT and MCA hold this, and reading MCT has freed them; TYPE 0: nothing is latched.
%macro latched 2
        mov ecx, MCT
        rdmsr
        mov ebx, eax
        mov ecx, MCT
        rdmsr
        and eax, CHK            ; the type stays, CHK goes
        is eax, 0
  %if %1 = 0
        and ebx, CHK
        is ebx, 0
  %else
        is ebx, %1 | CHK
        mov ecx, MCA
        rdmsr
        is eax, %2
        is edx, 0
  %endif
%endmacro

; failing KIND, TYPE, ADDRESS: what stands between `attempt` and `attempted` makes a cycle of that type, which fails if it is our kind.
; It is made twice, without and with CR4.MCE.
%macro attempt 0
        xor eax, eax
        mov cr4, eax
        call .try
        jmp .without
.try:
%endmacro
%macro attempted 3
.made:  nop
        ret
.without:
  %if %1 = KIND
        latched %2, %3
        call .try               ; fails again, latched again
        mov ecx, MCA
        rdmsr
        is eax, %3
        latched %2, %3
  %else
        latched 0, 0
  %endif
        mov eax, CR4_MCE
        mov cr4, eax
        begin_case
        call .try
  %if %1 = KIND
        mov dword [case_now], 0eeeeh ; not reached
        ud2
        end_case MC, 0, .made
        latched %2, %3
  %else
        end_case NONE, 0, 0
        latched 0, 0
  %endif
%endmacro

start:  call boot
        mov ecx, MCT            ; loading the image is no matter of the processor
        rdmsr
        mov dword [PLACE + 20h], 90c390c3h      ; RET
        mov dword [PLACE], 90c390c3h
        wbinvd
        mov ecx, MCT
        rdmsr
%ifdef SHUTDOWN
        lidt [nothing]
        mov eax, CR4_MCE
        mov cr4, eax
        mov eax, [PLACE]
        mov al, 2               ; not reached
        out 0f4h, al
nothing: dw 0
        dd 0
%endif

line_fill:                      ; a read miss: the burst begins with the 8 bytes asked for
        attempt
        wbinvd
        mov eax, [PLACE + 4]
        attempted 1, M | D, PLACE
line_fill_2:                    ; ... the failing 8 bytes come third
        attempt
        wbinvd
        mov eax, [PLACE - 10h]
        attempted 1, M | D, PLACE - 10h
hit:    attempt                 ; the line is there
        mov eax, [PLACE + 4]
        attempted 0, 0, 0
neighbour:
        attempt
        wbinvd
        mov eax, [PLACE + 10h]
        attempted 0, 0, 0
%if KIND = 1
locked: attempt                 ; the read of a locked sequence
        lock inc dword [PLACE]
        attempted 1, M | D | LOCKED, PLACE
%elif KIND = 2
locked: attempt
        lock inc dword [PLACE]
        attempted 2, M | D | W | LOCKED, PLACE
%endif
write_miss:                     ; goes to the bus by a write buffer
        attempt
        wbinvd
        mov dword [PLACE], 90c390c3h
        attempted 2, M | D | W, PLACE
write_near:                     ; the 8 bytes before
        attempt
        wbinvd
        mov dword [PLACE - 4], 0
        attempted 0, 0, 0
%if KIND = 1
first_stays:
        xor eax, eax
        mov cr4, eax
        wbinvd
        mov eax, [PLACE - 10h]
        wbinvd
        mov eax, [PLACE]
        latched M | D, PLACE - 10h
%else
write_back:                     ; a modified line, from its beginning
        attempt
        mov eax, [PLACE + 8]
        mov dword [PLACE + 8], eax
        wbinvd
        attempted 2, M | D | W, PLACE - 10h
%endif
code_fetch:
        attempt
        wbinvd
        call PLACE
        attempted 3, M, PLACE
input:  attempt
        in al, PORT
        attempted 4, D, PORT
input_wide:                     ; a dword whose last byte it is: the second of two cycles
        attempt
        mov dx, PORT - 3
        in eax, dx
        attempted 4, D, PORT
output: attempt
        xor eax, eax
        out PORT, al
        attempted 5, D | W, PORT
        finish
