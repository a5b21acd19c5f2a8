	.data
scale:	.long 3
	.section .rodata.cst4
four:	.float 4
	.text
	.globl total, half, wild
# int total(int *a, int n): 3 instructions, 6 for each element, 2
total:	movl 4(%esp), %edx
	xorl %eax, %eax
	movl 8(%esp), %ecx
1:	movl (%edx), %eax
	imull scale, %eax
	addl $4, %edx
	addl $1, %eax
	decl %ecx
	jnz 1b
	nop
	ret
	.section .text.unlikely
half:	flds four
	ret
wild:	movl 4(%esp), %eax
	movl (%eax), %eax
	ret
