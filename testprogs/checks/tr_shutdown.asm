; With TR1.NS clear a parity error is a shutdown: the instruction after the read is not reached (manual, 26.2.1.4).
%include "treg.inc"

start:  which_model
        mov esp, 7000h
        cd_on
        wr MSR_TR1, 1 << 9              ; DT
        mov esi, TAG(200000h) | STATE_E
        mov edi, CD_DATA
        call write_line
        wr MSR_TR1, 0
        mov eax, CD_DATA | CACHE_READ
        call to_tr5
        is eax, eax
        ending
        cache_lines
