; The data cache through TR3, TR4 and TR5 (manual, 26.2.1.1): entries written and read in all sets, ways and states; lines written this
; way are really there.
%include "treg.inc"

LINE equ 200000h                ; an address that nothing else uses; set 0

; esi = TR4, edi = set, way and CD for TR5, eax = value of word 0 (the others count up)
%macro write_line 0
        call write_line_
%endmacro

start:  which_model
        mov esp, 7000h
        cd_on
        wbinvd

; ---- write every entry, then read every entry: tag, LRU, valid and data of each are its own
        xor ebx, ebx                    ; set * 4 + way
all_w:  call place                      ; edi
        call pattern                    ; esi = TR4, eax = first word
        call write_line_
        inc ebx
        cmp ebx, 128 * 4
        jb all_w
        xor ebx, ebx
all_r:  call place
        call pattern
        mov [first_word], eax
        mov [expected_tr4], esi
        push ebx
        xor ebx, ebx                    ; word
word_r: lea eax, [edi + ebx * 4 + CACHE_READ]
        call to_tr5
        rd MSR_TR3
        mov edx, [first_word]
        add edx, ebx
        is eax, edx
        rd MSR_TR4
        push eax
        and eax, 0fffff03h              ; LRU is the set's: the last way written counts
        mov edx, [expected_tr4]
        and edx, 0fffff03h
        is eax, edx
        pop eax
        mov ebx, [esp]
        call lru_of_set                 ; -> edx
        shr eax, 2
        and eax, 7
        is eax, edx
        mov ebx, eax
        inc dword [at_word]
        mov ebx, [at_word]
        cmp ebx, 8
        jb word_r
        mov dword [at_word], 0
        pop ebx
        inc ebx
        cmp ebx, 128 * 4
        jb all_r

; ---- flush without write-back: the whole data cache is invalid, and memory has never seen the M lines
        mov eax, CD_DATA | CACHE_FLUSH
        call to_tr5
        xor ebx, ebx
all_i:  call place
        lea eax, [edi + CACHE_READ]
        call to_tr5
        rd MSR_TR4
        and eax, 3
        is eax, 0
        inc ebx
        cmp ebx, 128 * 4
        jb all_i
        wbinvd

; ---- a line in each valid state is hit by normal loads, and memory after keeps what it had
        cd_off
        mov dword [state], STATE_S
states: wbinvd
        mov edi, LINE
        mov ecx, 8
        mov eax, 11111111h
        rep stosd                       ; misses: goes to memory
        cd_on
        mov edi, CD_DATA
        mov esi, TAG(LINE)
        or esi, [state]
        mov eax, 0a0000000h
        call write_line_
        is dword [LINE], 0a0000000h
        is dword [LINE + 28], 0a0000007h
        is byte [LINE + 7], 0a0h
        mov eax, [LINE + 30]            ; after it memory, in the line after
        is ax, 0a000h
        wr CESR, 0003h << 16 | 1 << 22 | 1 << 6         ; CTR0 data reads, CTR1 data read misses, CPL 0-2
        wr CTR0, 0
        wr CTR1, 0
        mov eax, [LINE]
        mov eax, [LINE + 4]
        rd CTR0
        is eax, 2
        rd CTR1
        is eax, 0
        wr CESR, 0
        ; INVD: all copies are gone, memory is what it was
        invd
        is dword [LINE], 11111111h
        is dword [LINE + 28], 11111111h
        cd_off
        inc dword [state]
        cmp dword [state], STATE_M
        jbe states

; ---- a modified line reaches memory: by WBINVD, by TR5 with WB, by replacement; without WB it does not
%macro modified 1                       ; first word
        cd_off
        wbinvd
        mov edi, LINE
        mov ecx, 8
        mov eax, 22222222h
        rep stosd
        cd_on
        mov edi, CD_DATA
        mov esi, TAG(LINE) | STATE_M
        mov eax, %1
        call write_line_
%endmacro
        modified 0b0000000h
        wbinvd
        invd
        is dword [LINE], 0b0000000h
        is dword [LINE + 16], 0b0000004h
        modified 0b1000000h
        mov eax, CD_DATA | WB | CACHE_FLUSH
        call to_tr5
        mov eax, CD_DATA | CACHE_READ
        call to_tr5
        rd MSR_TR4
        and eax, 3
        is eax, STATE_I
        invd
        is dword [LINE], 0b1000000h
        modified 0b2000000h
        mov eax, CD_DATA | CACHE_FLUSH  ; all, without write-back
        call to_tr5
        is dword [LINE], 22222222h
        ; replacement: fill the other ways of set 0, then one more
        modified 0b3000000h
        cd_off
        mov esi, LINE
        mov ecx, 4
repl:   add esi, 1000h
        mov eax, [esi]
        loop repl
        invd
        is dword [LINE], 0b3000000h
        is dword [LINE + 28], 0b3000007h
        ; overwritten by another testability write: lost
        modified 0b4000000h
        mov edi, CD_DATA
        mov esi, TAG(LINE + 1000h) | STATE_E
        mov eax, 0c0000000h
        call write_line_
        is dword [LINE], 22222222h
        is dword [LINE + 1000h], 0c0000000h
        invd

; ---- the fill buffer is that of memory reads, too: what a line fill brings takes the place of what TR3 wrote
        cd_off
        wbinvd
        mov edi, LINE
        mov ecx, 16
        mov eax, 55555555h
        rep stosd
        wbinvd
        wr MSR_TR5, BUFFER(2)
        wr MSR_TR3, 0a5a5a5a5h
        mov eax, [LINE + 32]            ; a miss
        wr MSR_TR5, BUFFER(3)
        wr MSR_TR3, 66666666h           ; written after it
        cd_on
        wr MSR_TR4, TAG(LINE) | STATE_E
        wr MSR_TR5, CD_DATA | SET(5) | CACHE_WRITE
        wr MSR_TR5, CD_DATA | SET(5) | BUFFER(2) | CACHE_READ
        rd MSR_TR3
        is eax, 55555555h
        wr MSR_TR5, CD_DATA | SET(5) | BUFFER(3) | CACHE_READ
        rd MSR_TR3
        is eax, 66666666h
        invd

; ---- a store into a line that was written E: modified; INVD loses the store and the line
        cd_off
        wbinvd
        mov dword [LINE], 33333333h
        cd_on
        mov edi, CD_DATA
        mov esi, TAG(LINE) | STATE_E
        mov eax, 0d0000000h
        call write_line_
        mov dword [LINE + 4], 44444444h
        mov eax, CD_DATA | CACHE_READ | BUFFER(1)
        call to_tr5
        rd MSR_TR3
        is eax, 44444444h
        rd MSR_TR4
        and eax, 3
        is eax, STATE_M
        wbinvd
        is dword [LINE], 0d0000000h
        is dword [LINE + 4], 44444444h

; ---- a clean line that differs from memory is replaced: nothing is written back
        mov dword [LINE], 55555555h
        mov edi, CD_DATA
        mov esi, TAG(LINE) | STATE_E
        mov eax, 0e0000000h
        call write_line_
        is dword [LINE], 0e0000000h
        cd_off
        mov esi, LINE
        mov ecx, 4
repl2:  add esi, 1000h
        mov eax, [esi]
        loop repl2
        is dword [LINE], 55555555h

; ---- without test registers: INVD loses what only the cache has, WBINVD does not
        wbinvd
        mov dword [LINE], 66666666h     ; miss: memory
        mov eax, [LINE]                 ; E
        mov dword [LINE], 77777777h     ; M
        is dword [LINE], 77777777h
        invd
        is dword [LINE], 66666666h
        mov dword [LINE], 77777777h
        wbinvd
        invd
        is dword [LINE], 77777777h
        ; the INVD is in a page of which nothing has been executed yet
        mov dword [LINE + 40h], 1
        mov eax, [LINE + 40h]
        mov dword [LINE + 40h], 2
        call far_invd
        is dword [LINE + 40h], 1

; ---- write-only, and what reserved bits read as
        rd MSR_TR5
        is eax, 0
        ending

; ebx = set * 4 + way -> edi = TR5 without command; on a P54C ways 2 and 3 are 0 and 1 again
place:  mov edi, ebx
        shr edi, 2
        shl edi, 5
        or edi, CD_DATA
        test bl, 1
        jz .w0
        or edi, WAY1
.w0:    test bl, 2
        jz .w1
        cmp ebp, 4
        jne .w1
        or edi, WAY2
.w1:    ret

; ebx -> esi = TR4 with a tag beyond all memory that the program uses, LRU and valid; eax = first word. Ways that a P54C does not have
; get the pattern of those that it has.
pattern:
        mov edx, ebx
        cmp ebp, 4
        je .p
        and edx, ~2
.p:     lea eax, [edx * 8 + edx]
        add eax, 300h                   ; tag 300h + ...: 3 MB and up
        shl eax, 8
        mov esi, eax
        mov eax, edx
        xor eax, edx
        mov eax, edx
        and eax, 3                      ; the state
        or esi, eax
        mov eax, edx
        shr eax, 2
        and eax, 7
        cmp ebp, 4
        je .l
        and eax, 1
.l:     shl eax, 2
        or esi, eax
        imul eax, edx, 64
        or eax, 5a000000h
        ret

; ebx = set * 4 + way -> edx = LRU of its set, as its last way was written
lru_of_set:
        mov edx, ebx
        shr edx, 2
        and edx, 7
        cmp ebp, 4
        je .r
        and edx, 1
.r:     ret

to_tr5: xor edx, edx
        mov ecx, MSR_TR5
        wrmsr
        ret

; To write an entry: for each word TR5.buffer with cntl 0, TR3; then TR4; then TR5 with the command
write_line_:
        push ebx
        push eax
        xor ebx, ebx
.word:  lea eax, [ebx * 4]
        call to_tr5
        mov eax, [esp]
        add eax, ebx
        xor edx, edx
        mov ecx, MSR_TR3
        wrmsr
        inc ebx
        cmp ebx, 8
        jb .word
        mov eax, esi
        xor edx, edx
        mov ecx, MSR_TR4
        wrmsr
        lea eax, [edi + CACHE_WRITE]
        call to_tr5
        pop eax
        pop ebx
        ret

first_word:   dd 0
expected_tr4: dd 0
        times 2000h - ($ - $$) nop
far_invd:
        invd
        ret

at_word:         dd 0
state:        dd 0
