# Only what the pairing rules alone decide.
p5scope bench good.s --no-diagram | grep -v code_read
p5scope bench good.s | grep '^ .*\( U \|  V \)' | cut -c1-50
p5scope bench --asm 'add eax,[esi]; inc ecx' --trips 2 | grep '^Trip\|^ .*\( U \|  V \)' | cut -c1-50
p5scope bench --asm 'imul eax,ecx' | grep -o '9 clocks; alone.*'
p5scope bench --asm 'mov ebx,[esi]; mov ebx,[ebx]' | grep -o 'stall agi [0-9]'
p5scope bench --asm 'inc eax; inc ecx' --repeat 8 --no-diagram | grep 'clocks\|instr'
p5scope bench --asm 'inc eax; inc ecx' --unroll 8 --no-diagram | grep 'clocks\|instr'
p5scope bench --asm 'inc eax' --konata k.log --no-diagram | grep -c clocks; head -1 k.log; grep -c ^R k.log
p5scope bench good.s --cpl 0
p5scope bench --asm nop --unroll 2 --repeat 2
