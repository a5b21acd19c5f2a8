#! models p55c-200 errata-off-p55c.ini
#! n 20 120
#! expect mmx_instruction_data_reads 6
#! expect mmx_instruction_data_writes 3
#! expect data_read 7
#! expect data_write 4
#! expect mmx_instruction_data_read_misses 0
#! expect mmx_instruction_data_write_misses 0
#! expect misaligned_data_memory_reference_on_mmx_instructions 2
#! expect misaligned_data_memory_or_io_references 2
#! expect@p55c pipeline_stall_for_mmx_instruction_data_memory_reads 4
#! expect@errata-off pipeline_stall_for_mmx_instruction_data_memory_reads 6
#! note two aligned loads and two that cross 8 bytes (two halves each), three stores; a load and a store of no MMX instruction
#! note the misaligned loads wait 3 clocks each, of which silicon counts 2 (erratum 76)
        mov edi,offset buf
        mov eax,[edi]
        mov ebp,N
        .balign 32
L:      movq mm0,[edi]
        neg esi
        movd mm1,[edi+8]
        neg esi
        movq mm2,[edi+4]
        neg esi
        movq mm3,[edi+4]
        neg esi
        movq [edi],mm4
        neg esi
        movd [edi+8],mm4
        neg esi
        movq [edi+16],mm4
        neg esi
        mov eax,[edi]
        neg esi
        mov [edi],eax
        neg esi
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 64
