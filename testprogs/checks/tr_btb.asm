; The branch target buffer through TR9, TR10 and TR11 (manual, 26.2.1.3): all entries written and read, reading tag and data apart (P55C),
; overwriting an equal tag in another way, flushing, and entries that predict.
%include "treg.inc"

BTB_WRITE    equ 1
BTB_READ     equ 2
BTB_FLUSH    equ 3
BTB_READ_TAG equ 1 << 12 | 1
; TR9, P55C
VALID      equ 1 << 5
PREDICTION equ 1 << 4

start:  which_model
        mov esp, 7000h
        wr MSR_TR12, 1                  ; NBP: no new entries
        mov eax, cr3
        mov cr3, eax                    ; and the old ones gone

; ---- all 256 entries: written, then read
        xor ebx, ebx
b_w:    call place                      ; edi = TR11, esi = TR9
        wr MSR_TR9, esi
        lea eax, [ebx * 4 + 1234560h]
        wr MSR_TR10, eax
        lea eax, [edi + BTB_WRITE]
        wr MSR_TR11, eax
        inc ebx
        cmp ebx, 256
        jb b_w
        xor ebx, ebx
b_r:    call place
        mov [tr9], esi
        mov [tr11], edi
        wr MSR_TR9, 0
        wr MSR_TR10, 0
        mov eax, [tr11]
        and eax, 0fffh                  ; the type comes back
        or eax, BTB_READ
        wr MSR_TR11, eax
        rd MSR_TR10
        lea edx, [ebx * 4 + 1234560h]
        is eax, edx
        cmp ebp, 4
        je p55c_r
        rd MSR_TR9                      ; P54C: tag and history in one
        is eax, [tr9]
        jmp next_r
p55c_r: rd MSR_TR11
        and eax, 3 << 24
        mov edx, [tr11]
        and edx, 3 << 24
        is eax, edx
        rd MSR_TR9                      ; data: offset, prediction, history; not tag and valid bit
        mov edx, [tr9]
        and edx, 0dfh
        is eax, edx
        mov eax, [tr11]
        and eax, 0fffh
        or eax, BTB_READ_TAG
        wr MSR_TR11, eax
        rd MSR_TR9                      ; now all of it: neither read destroys what the other brought
        is eax, [tr9]
next_r: inc ebx
        cmp ebx, 256
        jb b_r

; ---- an equal tag in another way of the same set and bank is overwritten; the way that was named keeps what it had
        mov ebx, 0                      ; set 0, bank 0, way 0
        call place
        wr MSR_TR9, esi
        wr MSR_TR10, 7777777h
        lea eax, [edi + BTB_WRITE + (2 << 2)]
        wr MSR_TR11, eax
        lea eax, [edi + BTB_READ]
        wr MSR_TR11, eax
        rd MSR_TR10
        is eax, 7777777h
        lea eax, [edi + BTB_READ + (2 << 2)]
        wr MSR_TR11, eax
        rd MSR_TR10
        isnt eax, 7777777h

; ---- flush: no entry is valid (P55C: valid bits; P54C: history 0)
        wr MSR_TR11, BTB_FLUSH
        xor ebx, ebx
b_f:    call place
        mov [tr11], edi
        wr MSR_TR9, 0ffffffffh
        mov eax, [tr11]
        and eax, 0fffh
        cmp ebp, 4
        je p55c_f
        or eax, BTB_READ
        wr MSR_TR11, eax
        rd MSR_TR9
        and eax, 3
        is eax, 0
        jmp next_f
p55c_f: or eax, BTB_READ_TAG
        wr MSR_TR11, eax
        rd MSR_TR9
        and eax, VALID
        is eax, 0
next_f: inc ebx
        cmp ebx, 256
        jb b_f

; ---- ... and only that: tag and target of an entry that was written stay
        wr MSR_TR9, 12345600h | VALID           ; P54C: history 0 is not in use
        wr MSR_TR10, 7654321h
        wr MSR_TR11, BTB_WRITE | 1 << 8
        wr MSR_TR11, BTB_FLUSH
        wr MSR_TR9, 0ffffffffh
        wr MSR_TR10, 0
        mov eax, BTB_READ | 1 << 8
        wr MSR_TR11, eax
        rd MSR_TR10
        is eax, 7654321h
        cmp ebp, 4
        jne tag_f
        wr MSR_TR11, BTB_READ_TAG | 1 << 8
tag_f:  rd MSR_TR9
        and eax, 0ffffff00h
        is eax, 12345600h

; ---- NBP: a loop that is taken 100 times gets no entry: event 13h (BTB hits) stays 0
        mov esi, 100
        wr CTR0, 0
        wr CESR, 1 << 6 | 13h
nbp:    dec esi
        jnz nbp
        wr CESR, 0
        rd CTR0
        is eax, 0
; ---- without NBP it hits
        wr MSR_TR12, 0
        mov esi, 100
        wr CTR0, 0
        wr CESR, 1 << 6 | 13h
allocs: dec esi
        jnz allocs
allocs_end:
        wr CESR, 0
        rd CTR0
        cmp eax, 90
        mov dword [check], 100
        jb near fail
; ---- an entry that allocation made can be read: the P55C keeps it by the address of the branch's last byte
        cmp ebp, 4
        jne p54c_u
        mov edi, allocs_end - 1
        call tr11_of                    ; -> eax
        mov [tr11], eax
        xor ebx, ebx                    ; ways
find:   wr MSR_TR9, 0
        mov eax, [tr11]
        or eax, BTB_READ
        wr MSR_TR11, eax
        rd MSR_TR10
        mov [target], eax
        mov eax, [tr11]
        or eax, BTB_READ_TAG
        wr MSR_TR11, eax
        rd MSR_TR9
        mov [tr9], eax
        mov edx, eax
        and edx, 0ffffff00h | VALID
        mov eax, allocs_end - 1
        and eax, 0ffffff00h
        or eax, VALID
        cmp edx, eax
        je found
        add dword [tr11], 1 << 2
        inc ebx
        cmp ebx, 4
        jb find
        mov dword [check], 101
        jmp fail
found:  is dword [target], allocs
        ; taken again and again until it was not: the pattern of a loop's end in the history, offset of the last byte
        mov eax, [tr9]
        and eax, 0cfh
        mov edx, allocs_end - 1
        and edx, 3
        shl edx, 6
        or edx, 0eh
        is eax, edx
p54c_u:

; ---- an entry written by the test registers predicts: with NBP no other way to have one
use:    wr MSR_TR12, 1
        mov eax, cr3
        mov cr3, eax
        call measure                    ; no entry: not predicted
        mov [without], eax
        mov edi, jump_last
        cmp ebp, 4
        je use_55
        mov edi, before         ; the P54C's key: the first instruction of the pair before the branch
use_55: call tr11_of
        or eax, BTB_WRITE
        cmp ebp, 4
        jne use_t
        or eax, 1 << 24                 ; a jump
use_t:  mov [tr11], eax
        mov eax, edi
        cmp ebp, 4
        jne use_9
        and eax, 0ffffff00h
        mov edx, edi
        and edx, 3
        shl edx, 6
        or eax, edx
        or eax, VALID | PREDICTION
        jmp use_w
use_9:  and eax, 0ffffffc0h
        or eax, 3                       ; strongly taken
use_w:  wr MSR_TR9, eax
        wr MSR_TR10, jumped
        wr MSR_TR11, [tr11]
        call measure
        is eax, 1                       ; BTB hits
        is dword [without], 0
        ending

; BTB hits of one jump -> eax
        align 64
measure:
        wr CTR0, 0
        wr CESR, 1 << 6 | 13h
        jmp short before
        align 64
before:
        mov edx, edx                    ; a pair
        mov ebx, ebx
        jmp near jumped
jump_last equ $ - 1
        align 64
jumped: wr CESR, 0
        rd CTR0
        ret

; edi = address -> eax = TR11's set and bank, way 0
tr11_of:
        mov eax, edi
        cmp ebp, 4
        je .p55c
        and eax, 3fh
        shl eax, 6
        ret
.p55c:  mov edx, eax
        shr eax, 4
        and eax, 15
        shl eax, 8
        shr edx, 2
        and edx, 3
        shl edx, 6
        or eax, edx
        ret

; ebx = 0-255 -> edi = TR11 (set, bank, way, type), esi = TR9. Tags differ in all ways of a set.
place:  mov eax, ebx
        and eax, 3
        lea edi, [eax * 4]              ; way
        mov edx, ebx
        shr edx, 2
        shl edx, 6                      ; P54C: set; P55C: bank and set
        or edi, edx
        lea esi, [ebx * 8 + ebx + 1]
        cmp ebp, 4
        je .p55c
        shl esi, 6
        mov edx, ebx
        and edx, 3
        or esi, edx
        ret
.p55c:  shl esi, 8
        mov edx, ebx
        and edx, 3
        shl edx, 24
        or edi, edx                     ; type
        mov edx, ebx
        and edx, 0dfh
        or edx, VALID
        or esi, edx
        ret

tr9:     dd 0
tr11:    dd 0
target:  dd 0
without: dd 0
