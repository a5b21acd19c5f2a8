# Only what the pairing rules alone decide.
p5scope bench good.s --no-diagram | grep -v code_read
p5scope bench good.s | grep '^ .*\( U \|  V \)' | cut -c1-50
p5scope bench --asm 'add eax,[esi]; inc ecx' --trips 2 | grep '^Trip\|^ .*\( U \|  V \)' | cut -c1-50
p5scope bench --asm 'imul eax,ecx' | grep -o '9 clocks; alone.*'
p5scope bench --asm 'mov ebx,[esi]; mov ebx,[ebx]' | grep -o 'stall agi [0-9]'
p5scope bench --asm 'inc eax; inc ecx' --repeat 8 --no-diagram | grep 'clocks\|instr'
p5scope bench --asm 'inc eax; inc ecx' --unroll 8 --no-diagram | grep 'clocks\|instr'
p5scope bench --asm 'inc eax' --konata k.log --no-diagram | grep -c clocks; head -1 k.log; grep -c ^R k.log
p5scope bench --asm 'inc eax' --timeline --konata k.log | grep -c 'inc eax' # the time line keeps its three trips
# an arrow comes from a result whose instruction leaves WB when the one that uses it enters D1: MOV is in EX at 0 and leaves WB at 2; ADD is in D1 at 2, then at 3
for n in 4 5; do p5scope bench --asm "mov eax, ecx; .rept $n; shl ebx, 1; .endr; add edx, eax; shl ebx, 1" --konata k.log --no-diagram >out; awk -F'\t' '$1 == "L" && /add edx/ { adds[$2] } $1 == "W" { users[$2] } END { for (id in adds) n += (id in users); print (n > 0) }' k.log; done
p5scope bench good.s --cpl 0
p5scope bench --asm nop --unroll 2 --repeat 2
p5scope bench --asm 'paddd mm0, mm1; movd [esi], mm0; emms' --trips 1 --json | jq -c 'select(.what == "instruction") | [.text, .held_by]'
p5scope bench --asm 'push dword ptr [esi]; pop eax' --suggest | grep -e '->'
# Beyond an empty function, RET: 3 + 60 + 2 - 1 = 64 instructions for 10 elements.
p5scope bench function-att.s --function total --arg buffer:4K --arg 10 --csv | grep ',instructions_executed,'
p5scope bench function-intel.s --function total --arg buffer:4K --arg 10 --csv | grep ',instructions_executed,'
as --32 function-att.s -o function.o && p5scope bench function.o --function total --arg buffer:4K --arg 10 --csv >object.csv; p5scope bench function-att.s --function total --arg buffer:4K --arg 10 --csv | cmp - object.csv && echo same
# an object begins with a header of 52 bytes
head -c 51 function.o >cut.o; p5scope bench cut.o --function total; head -c 52 function.o >cut.o; p5scope bench cut.o --function total 2>&1 | grep -c 'too early'
p5scope bench function.o --function half --x87 --no-diagram | sed -n 1p
printf '.globl f\nf: mov ecx, 1000\n1: dec ecx\n jnz 1b\n ret\n' >long.s; p5scope bench long.s --function f --no-diagram | sed -n '1p;3p'
p5scope bench function.o --function wild --arg 0x50000000
p5scope bench function-outside.s --function outside
p5scope bench function.o --function nosuch
p5scope bench function.o
p5scope bench function.o --function total --function half --x87 --arg buffer:4K --arg 10
p5scope bench function.o --function half
p5scope bench function.o --function total --function wild --arg buffer:4K --arg 10 --csv | sed -n 1,2p
p5scope bench function-att.s
p5scope bench --asm 'mov %eax, %ebx' --csv >att.csv; p5scope bench --asm 'mov ebx, eax' --csv | cmp - att.csv && echo same
p5scope bench --asm nop --arg 3
p5scope bench function.o --function total --arg many
p5scope bench function.o --function total --arg -2147483649
p5scope bench function.o --function total --arg file:
p5scope bench function.o --function total --unroll 3
p5scope bench --no-diagram --asm 'inc eax' --asm 'inc eax; imul ecx, ecx'
p5scope bench --repeat 10 --csv --asm 'mov eax, [esi]' --asm 'mov eax, [esi+1]'
p5scope bench --asm nop --asm nop --asm nop
p5scope bench --asm nop good.s --konata k
p5scope bench --asm nop --json --trips 2
p5scope bench --asm 'mov [0xf0000000], eax'
p5scope bench --asm 'xor ecx, ecx; div ecx'
p5scope bench --asm 'push 0xfffffff0; ret'
p5scope bench --asm 'movq mm0, qword [esi]'
p5scope bench --asm nop --setup 'mov eax, ebx; fld dword [esi]'
p5scope bench --asm 'inc eax; mov eax [esi]; nop'
p5scope bench --asm 'mov eax, ebx' --setup 'mov %eax, %ebx; xorl %ecx, %ecx; divl %ecx'
printf 'L: mov ecx, N\n\tmov eax, dword [esi]\n' >nasm.s; p5scope bench nasm.s
p5scope bench --asm 'fld dword ptr [esi]'
p5scope bench --asm 'fadd st, st(1)' --no-diagram
p5scope bench --asm 'fadd st, st(1)' --setup 'fld1; fld1' --repeat 8 --csv | sed -n 2p
p5scope bench --asm 'push eax' --csv | grep ',instructions_executed,'
p5scope bench --asm nop --model p55c-200 --model p54c-133 --no-diagram | grep 'nop on'
p5scope bench --asm nop --asm nop --model p55c-200 --model p54c-133
p5scope bench --asm nop --model p54c-13
p5scope bench --asm nop --model p55c-200 --model p54c-133 --konata k
p5scope bench --asm ''
# a long trip has several rulers, and its end is left out
p5scope bench --unroll 300 --asm 'imul eax, ebx' | tail -n 3 | cut -c 1-100
# NOP and TEST take a clock, JZ takes one, and so do the loop's DEC and JNZ, wherever JZ lies: JNZ has an entry of the branch target buffer of its own
p5scope bench --no-diagram --asm 'nop; test eax, eax; jz 1f; 1:' --model p55c-200 --model p54c-133 | grep clocks,
p5scope bench --asm rdpmc
p5scope bench --asm 'mov bl, [esi+edi]' --setup 'mov ebp, esp' --no-diagram | grep -o 'dec e.., jnz'
p5scope bench --asm 'mov bl, [esi+edi]; mov cl, 1; fmul st, st' --setup 'mov ebp, esp; fld1' --no-diagram | grep -o 'dec e.., jnz'
p5scope bench --asm 'mov bl, [esi+edi]; mov ecx, 1; cdq' --setup 'mov ebp, esp' --no-diagram
p5scope bench --asm 'mov bl, [esi+edi]; mov cl, dl' --setup 'mov ebp, esp' --no-diagram | grep -o 'dec e.., jnz'
# one table for all models; JSON lines have no empty line between them
p5scope bench --asm 'imul eax, ebx' --model p54c-133 --model p55c-200 --csv | grep -v event
p5scope bench --asm 'imul eax, ebx' --model p54c-133 --model p55c-200 --json | jq -r 'select(.what == "clocks") | .model'; p5scope bench --asm nop --model p54c-133 --model p55c-200 --json | grep -c '^$'
printf '#! n 1 2\n.rept N\nnop\n.endr\n' >once.s; p5scope bench --trips 1..1 once.s | grep Trip; p5scope bench --trips 2..2 once.s >/dev/null
p5scope bench --asm 'paddb mm0, mm1' --model p54c-133
printf '.intel_syntax noprefix\n.globl f\nf: mov ecx, [esp+8]\nmov edx, [esp+4]\n1: add edx, 4\nmov eax, [edx]\ndec ecx\njnz 1b\nret\n' >f.s; p5scope bench f.s --function f --arg buffer:4K --arg 700 --suggest | sed -n '/is then/,/^$/p'
p5scope bench f.s --function f --arg buffer:4K --arg 700 -o f.svg >/dev/null; grep -c 'class="i"' f.svg; grep -o '[0-9]* instructions follow.*all' f.svg
printf '; a loop\nglobal f\n' >n.asm; p5scope bench n.asm
p5scope bench --static --asm 'fld1; paddb mm0, mm1; emms; fld1' | grep stall; p5scope bench --asm 'fld1; fstp st(0); paddb mm0, mm1; emms' | grep -o 'stall .*;'
printf 'nop\n\033[31m\tadd\teax\n' >escape.s; p5scope bench escape.s; p5scope bench --asm "$(printf 'nop; \033[1mfoo')"
