; The code cache through TR2 (P54C), TR3, TR4 and TR5 (manual, 26.2.1.1): entries written and read in all sets and ways; a line written
; this way is executed.
%include "treg.inc"

CODE equ 200000h                ; nothing else is there; set 0

start:  which_model
        mov esp, 7000h
        cd_on
        wbinvd

; ---- every entry written and read; on a P54C with end bits
        xor ebx, ebx                    ; set * ways + way
write:  call place
        call pattern
        call write_line
        inc ebx
        cmp ebx, [entries]
        jb write
        xor ebx, ebx
read:   call place
        call read_line
        and eax, 0fffff03h              ; LRU: below
        push eax
        mov eax, line
        mov ecx, 20
        call sum                        ; -> eax
        mov [got], eax
        mov eax, [ends]
        mov [got_ends], eax
        call pattern
        pop eax
        and esi, 0fffff03h
        is eax, esi
        mov eax, line
        call sum
        is eax, [got]
        cmp ebp, 2
        jne no_e
        mov eax, [ends]
        is eax, [got_ends]
no_e:   inc ebx
        cmp ebx, [entries]
        jb read

; ---- LRU: as written, and a read is a use although CR0.CD = 1
        xor ebx, ebx
        call place
        mov esi, TAG(CODE) | 1          ; LRU points to way 0
        mov dword [ends], 0ffffffffh
        call write_line
        lea eax, [edi + CACHE_READ]
        call to_tr5
        rd MSR_TR4
        is eax, TAG(CODE) | 1
        lea eax, [edi + CACHE_READ]
        call to_tr5
        rd MSR_TR4                      ; both trees: away from way 0
        mov edx, TAG(CODE) | 1 << 2 | 1
        cmp ebp, 4
        jne lru_2
        or edx, 1 << 3
lru_2:  is eax, edx

; ---- flush: all invalid
        mov eax, CD_CODE | CACHE_FLUSH
        call to_tr5
        xor ebx, ebx
inval:  call place
        lea eax, [edi + CACHE_READ]
        call to_tr5
        rd MSR_TR4
        and eax, 1
        is eax, 0
        inc ebx
        cmp ebx, [entries]
        jb inval

; ---- a line in the code cache is executed whatever memory holds
        cd_off
        mov dword [CODE], 000001b8h     ; mov eax, 1
        mov word [CODE + 4], 0c300h     ; ret
        wbinvd
        call CODE
        is eax, 1
        cd_on
        call put_2
        call CODE
        is eax, 2
        call CODE
        is eax, 2
        mov eax, CD_CODE | CACHE_FLUSH
        call to_tr5
        call CODE
        is eax, 1
        ; the same with caching on
        call put_2
        cd_off
        call CODE
        is eax, 2
        ; a data reference that misses the data cache reads memory, and the internal snoop takes the code line away
        is dword [CODE], 000001b8h
        call CODE
        is eax, 1
        ; INVD and WBINVD drop it; code has nothing to write back
        wbinvd
        cd_on
        call put_2
        wbinvd
        call CODE
        is eax, 1
        call put_2
        invd
        call CODE
        is eax, 1
        ; replaced by another testability write
        call put_2
        call CODE
        is eax, 2
        mov eax, 90909090h
        call fill_line
        mov edi, CD_CODE
        mov esi, TAG(CODE + 100000h) | 1
        call write_line
        call CODE
        is eax, 1
        ; replaced by fills: the other ways of set 0, then one more
        wbinvd
        call put_2
        cd_off
        mov ebx, CODE
        mov ecx, 5
repl:   add ebx, 1000h
        mov byte [ebx], 0c3h
        call ebx
        loop repl
        call CODE
        is eax, 1

; ---- data written into a data line are executed only when they reach memory
        wbinvd
        cd_on
        mov dword [line], 000003b8h     ; mov eax, 3
        mov dword [line + 4], 0000c300h
        mov edi, CD_DATA
        mov esi, TAG(CODE) | STATE_E
        call write_line
        is dword [CODE], 000003b8h
        call CODE                       ; the fetch misses, the clean copy goes, memory is executed
        is eax, 1
        is dword [CODE], 000001b8h
        mov esi, TAG(CODE) | STATE_M
        call put_3
        mov edi, CD_DATA
        call write_line
        call CODE                       ; the modified copy is written back first
        is eax, 3
        invd
        is dword [CODE], 000003b8h

; ---- end bits: a P54C pairs what is marked rightly the first time it is decoded, and not what is marked as a fresh line is
        cmp ebp, 2
        jne no_ends
        mov dword [CODE], 000001b8h
        wbinvd
        mov edi, line                   ; mov esi, esi / mov edi, edi ... and ret
        mov ecx, 7
fill_p: mov dword [edi], 0ff89f689h
        add edi, 4
        loop fill_p
        mov dword [edi], 909090c3h
        mov dword [ends], 0f2aaaaaah | 1 << 28
        and dword [ends], 01fffffffh
        call count_v
        mov [got], eax
        mov dword [ends], 0ffffffffh
        call count_v
        isnt eax, [got]
        cmp eax, [got]
        mov dword [check], 200
        jae near fail
no_ends:
        ending

; CTR0 = instructions in V while [line] is executed from CODE -> eax
count_v:
        mov edi, CD_CODE
        mov esi, TAG(CODE) | 1
        call write_line
        wr CTR0, 0
        wr CESR, 1 << 6 | 17h
        call CODE
        wr CESR, 0
        rd CTR0
        ret

put_3:  mov dword [line], 000003b8h
        mov dword [line + 4], 0000c300h
        ret

; way 0 of set 0: mov eax, 2; ret
put_2:  mov dword [line], 000002b8h
        mov dword [line + 4], 0000c300h
        mov dword [ends], 30h
        mov edi, CD_CODE
        mov esi, TAG(CODE) | 1
        jmp write_line

; ebx = set * 4 + way (P55C) or set * 2 + way -> edi
place:  mov edi, ebx
        mov edx, 0
        cmp ebp, 4
        je .four
        shr edi, 1
        jmp .set
.four:  shr edi, 2
        test bl, 2
        jz .set
        or edx, WAY2
.set:   shl edi, 5
        test bl, 1
        jz .done
        or edx, WAY1
.done:  or edi, edx
        mov dword [entries], 128 * 4
        cmp ebp, 4
        je .out
        mov dword [entries], 128 * 2
.out:   ret

; ebx -> esi = TR4, [line], [ends]
pattern:
        lea eax, [ebx * 8 + ebx + 300h]
        shl eax, 8
        or eax, 1
        mov esi, eax
        imul eax, ebx, 12345
        mov [ends], eax
        imul eax, ebx, 4099
        jmp fill_line

; weighted sum of the 8 words at eax
sum:    push ebx
        push ecx
        mov ebx, eax
        xor eax, eax
        xor ecx, ecx
.word:  rol eax, 3
        xor eax, [ebx + ecx * 4]
        inc ecx
        cmp ecx, 8
        jb .word
        pop ecx
        pop ebx
        ret

        cache_lines
got:      dd 0
got_ends: dd 0
entries:  dd 512
