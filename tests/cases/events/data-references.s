#! models p55c-200 p54c-133
#! n 20 120
#! expect data_read 5
#! expect data_write 3
#! expect data_read_or_write 8
#! expect data_read_miss 0
#! expect misaligned_data_memory_or_io_references 1
#! note reads: load 1, read-modify-write 1, load that crosses 4 bytes 2 (each half), POP 1
#! note writes: read-modify-write 1, store 1, PUSH 1
        mov edi,offset buf
        mov eax,[edi]
        mov eax,[esp-4]
        xor eax,eax
        mov ebp,N
        .balign 32
L:      mov ecx,[edi]
        neg esi
        add [edi],eax
        neg esi
        mov edx,[edi+10]
        neg esi
        mov [edi+4],eax
        neg esi
        push ecx
        neg esi
        pop ecx
        neg esi
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 64
