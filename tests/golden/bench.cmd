p5scope bench good.s --model p55c-200
p5scope bench --asm 'add eax,[esi]; inc ecx'
p5scope bench --asm 'mov eax,[eax]' --no-diagram
p5scope bench --asm 'inc eax; inc ecx' --repeat 8 --no-diagram
p5scope bench --asm 'imul eax,ecx' --trips 2 --konata k.log && head -1 k.log && grep -c ^R k.log
